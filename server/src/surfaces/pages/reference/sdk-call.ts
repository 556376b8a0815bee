import type { SdkCall } from '../client/samples.client.js'
import type { DescribedOperation } from './document.ts'

/** The SDK call of an operation. The tests run every sample, so a call that does not exist fails. */
export function sdkCallOf(operation: DescribedOperation): SdkCall {
  const { parameters, 'x-sdk-call': call } = operation
  const isList = parameters.some(({ name }) => name === 'limit')
  return { call, isList }
}
