// The public interface of `@petstore/sdk/testing`: private shops for tests.
export type {
  Clock,
  Fault,
  FaultKind,
  FaultOptions,
  FaultTarget,
  Received,
  RecordedRequest,
  Report,
  RuleResult,
  Snapshot,
  Violation,
} from './records.ts'
export { type Sandbox, type SandboxOptions, type ShopOptions, startSandbox } from './sandbox.ts'
