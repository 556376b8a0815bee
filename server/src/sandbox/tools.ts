import { toHar } from '@petstore/judge/output/har'
import type { Report } from '@petstore/judge/report'
import { z } from 'zod'
import { validationFailed } from '../platform/api/errors.ts'
import type { Shop } from '../platform/compose/shop.ts'
import { serveAsset } from '../surfaces/pages/assets.ts'
import type { PathParams } from '../surfaces/pipeline.ts'
import type { AccessCheck } from './access.ts'
import { moveClock } from './clock.ts'
import { readDeliveries, sendForged } from './deliveries.ts'
import { createFaultRules, findRuleFaults, otherFaults } from './fault-rules.ts'
import { toExchange } from './findings.ts'
import type { Host } from './host.ts'
import type { OpenSandbox } from './open.ts'
import { sandboxAssets } from './pages/assets.ts'
import { clockPage } from './pages/clock-page.ts'
import { faultsPage } from './pages/faults-page.ts'
import { overviewPage } from './pages/overview-page.ts'
import { reportPage } from './pages/report-page.ts'
import { requestsPage } from './pages/requests-page.ts'
import { withPage } from './pages/with-page.ts'
import { readInput } from './read-input.ts'
import type { RecordedRequest } from './recorded.ts'
import { hostHeaders } from './responding.ts'
import { ClockSetting, clockStateOf, dataShape, seedShape, timeMax } from './shapes.ts'
import { showSandbox } from './show.ts'
import { readAttempts } from './webhook-attempts.ts'

/** An operation under `{sandbox}/_sandbox`. */
export interface SandboxTool {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  readonly path: `/${string}` | ''
  readonly handle: (sandbox: OpenSandbox, request: Request, host: Host, params: PathParams) => Promise<unknown>
}

const Clock = z
  .strictObject({
    at: z.iso.datetime({ offset: true }).optional(),
    advanceSeconds: z
      .number()
      .min(0)
      .max(timeMax / 1000)
      .optional(),
    frozen: z.boolean().optional(),
  })
  .refine(({ at, advanceSeconds }) => at === undefined || advanceSeconds === undefined, {
    path: ['advanceSeconds'],
    error: 'cannot be combined with at',
  })

const Reset = z.strictObject({ seed: seedShape.optional(), data: dataShape.optional(), clock: ClockSetting.optional() })
const Nothing = z.strictObject({})
const Forged = z.strictObject({ webhookId: z.int().min(1) })

const showClock = async ({ clock }: OpenSandbox) => ({
  at: new Date(clock.now()).toISOString(),
  frozen: clock.state().frozenAt !== undefined,
})

const showFaults = async ({ faults }: OpenSandbox) => ({ rules: faults.rules() })

/** The recorded requests, newest first. */
const readRequests = async ({ recorder }: OpenSandbox): Promise<RecordedRequest[]> =>
  recorder
    .read()
    .map((line) => JSON.parse(line) as RecordedRequest)
    .reverse()

const showRequests = async (sandbox: OpenSandbox) => ({ data: await readRequests(sandbox) })

const showReport = async (sandbox: OpenSandbox): Promise<Report> => {
  const { recorder, findings, service } = sandbox
  // Attempts that a crash left out.
  findings.keepAttempts(await readAttempts(service.db))
  // Before the requests are read: one that ends in between counts as open, not as missing.
  const open = service.requestLog.inFlight()
  const { failed, rules, undecided } = findings.judge(recorder.readAll())
  return { failed, requests: { seen: recorder.count(), shown: recorder.read().length, open, undecided }, rules }
}

const showOverview = async (sandbox: OpenSandbox) => ({
  sandbox: showSandbox(sandbox),
  clock: await showClock(sandbox),
  faults: sandbox.faults.rules().length,
  report: await showReport(sandbox),
})

export function createTools({ operations, errors }: Shop, mayManage: AccessCheck): readonly SandboxTool[] {
  const FaultRules = createFaultRules(errors)
  // What the form for a fault offers.
  const faults = [...Object.keys(otherFaults), ...errors.map(({ code }) => code)]
  const choices = { operations: operations.map(({ id }) => id), faults }
  return [
    { method: 'GET', path: '', handle: withPage(showOverview, overviewPage) },
    { method: 'GET', path: '/report', handle: withPage(showReport, reportPage) },
    { method: 'GET', path: '/clock', handle: withPage(showClock, clockPage) },
    {
      method: 'PUT',
      path: '/clock',
      async handle(sandbox, request) {
        const { at, advanceSeconds = 0, frozen } = await readInput(request, Clock)
        const { clock, service } = sandbox
        return sandbox.clockInTurn(async () => {
          // Read once: a running clock is already later the next time.
          const now = clock.now()
          const to = at === undefined ? now + Math.round(advanceSeconds * 1000) : Date.parse(at)
          const field = at === undefined ? '/advanceSeconds' : '/at'
          if (to < now) {
            const message = `must not be before ${new Date(now).toISOString()}, the time of the sandbox; reset it instead`
            throw validationFailed([{ in: 'body', path: field, message }])
          }
          if (to > now && to > timeMax)
            throw validationFailed([{ in: 'body', path: field, message: 'must not be after 2099' }])
          // Freezes first, so that it stands exactly where it is set to.
          if (frozen) clock.freeze(true)
          await moveClock(clock, to, service)
          if (frozen === false) clock.freeze(false)
          sandbox.update({ clock: clock.state() })
          return showClock(sandbox)
        })
      },
    },
    {
      method: 'GET',
      path: '/faults',
      handle: withPage(showFaults, (site, { rules }) => faultsPage(site, rules, choices)),
    },
    {
      method: 'PUT',
      path: '/faults',
      async handle(sandbox, request) {
        const { rules } = await readInput(request, FaultRules)
        const faults = findRuleFaults(rules, sandbox.routes)
        if (faults.length > 0) throw validationFailed(faults)
        sandbox.update({ faults: rules, faultAttempts: undefined })
        sandbox.faults.replace(rules)
        return showFaults(sandbox)
      },
    },
    {
      method: 'GET',
      path: '/requests',
      handle: withPage(showRequests, (site, { data }) => requestsPage(site, data)),
    },
    {
      method: 'GET',
      path: '/requests.har',
      async handle(sandbox) {
        const { title, version } = sandbox.service.shop
        const exchanges = (await readRequests(sandbox)).reverse().map(toExchange)
        return toHar({ name: `${title} sandbox`, version }, exchanges, sandbox.baseUrl)
      },
    },
    { method: 'GET', path: '/deliveries', handle: async (sandbox) => ({ data: await readDeliveries(sandbox) }) },
    {
      method: 'POST',
      path: '/forge',
      handle: async (sandbox, request) => sendForged(sandbox, (await readInput(request, Forged)).webhookId),
    },
    {
      method: 'POST',
      path: '/reset',
      async handle(sandbox, request, host) {
        const { clock, ...wanted } = await readInput(request, Reset)
        // A seed gives the keys of every sandbox that has it, so only who may create sandboxes chooses one.
        if (sandbox.needsSignIn && wanted.seed !== undefined && wanted.seed !== sandbox.record().seed)
          mayManage(request)
        const state = clock && clockStateOf(clock, sandbox.hostTime())
        return showSandbox(await host.reset(sandbox.record().id, { ...wanted, clock: state }))
      },
    },
    {
      method: 'GET',
      path: '/snapshots',
      handle: async (sandbox, _, host) => ({ data: host.snapshots(sandbox.record().id) }),
    },
    {
      method: 'POST',
      path: '/snapshots',
      async handle(sandbox, request, host) {
        await readInput(request, Nothing)
        return Response.json(await host.snapshot(sandbox.record().id), { status: 201, headers: hostHeaders })
      },
    },
    {
      method: 'DELETE',
      path: '/snapshots/:snapshotId',
      handle: async (sandbox, _, host, { snapshotId = '' }) => host.removeSnapshot(sandbox.record().id, snapshotId),
    },
    {
      method: 'POST',
      path: '/snapshots/:snapshotId/restore',
      async handle(sandbox, request, host, { snapshotId = '' }) {
        await readInput(request, Nothing)
        return showSandbox(await host.restore(sandbox.record().id, snapshotId))
      },
    },
    ...Object.values(sandboxAssets)
      .map(serveAsset)
      .map(({ path, get }) => ({
        method: 'GET' as const,
        path: path as `/${string}`,
        handle: async (_: OpenSandbox, request: Request) => get(request),
      })),
  ]
}
