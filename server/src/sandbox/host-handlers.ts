import { ApiError } from '../platform/api/errors.ts'
import type { Shop } from '../platform/compose/shop.ts'
import type { Log } from '../platform/telemetry/log.ts'
import type { ByMethod, Handler, Handlers } from '../surfaces/http/listener.ts'
import { prefersHtml } from '../surfaces/http/request.ts'
import { assetPages, serveAsset } from '../surfaces/pages/assets.ts'
import { type AccessCheck, isRead } from './access.ts'
import type { Cors } from './cors.ts'
import { HostError } from './errors.ts'
import type { Host } from './host.ts'
import { sandboxAssets } from './pages/assets.ts'
import { hostPage } from './pages/host-page.ts'
import { signInPage } from './pages/sign-in-page.ts'
import { pageResponse } from './pages/with-page.ts'
import { readInput } from './read-input.ts'
import { apiKeyOf, type SandboxRecord } from './record.ts'
import { createResponder, hostHeaders, type Work } from './responding.ts'
import { clockStateOf, NewSandboxShape } from './shapes.ts'
import { showSandbox } from './show.ts'
import { createSignIn } from './sign-in.ts'
import { createTools } from './tools.ts'

interface Dependencies {
  readonly shop: Shop
  readonly host: () => Host
  readonly mayManage: AccessCheck
  readonly hostTime: () => number
  readonly baseUrl: () => string
  readonly hostKey: string | undefined
  readonly cors: Cors
  readonly log: Log
}

/** The path of a sandbox's operations, under the address of the host. */
const toolsPath = '/s/:mountId/_sandbox'

/** The operations of the host itself, and those under `_sandbox` of each sandbox. */
export function createHostHandlers(dependencies: Dependencies): Handlers {
  const { shop, host, mayManage, hostTime, baseUrl, hostKey, cors, log } = dependencies
  const responding = createResponder(log)
  const showStored = (record: SandboxRecord) =>
    showSandbox({ record: () => record, baseUrl: `${baseUrl()}/s/${record.id}`, apiKey: apiKeyOf(record, hostKey) })

  const recordOf = (mountId: string) =>
    host()
      .list()
      .find(({ id }) => id === mountId)

  /** A browser that opens a page without a key is asked for one. */
  const orSignIn =
    (path: string, work: Work): Work =>
    async (request, params) => {
      try {
        return await work(request, params)
      } catch (error) {
        const isRejected = hostKey !== undefined && error instanceof ApiError && error.status === 401
        const isPage = isRead(request) && prefersHtml(request.headers.get('accept'))
        if (!isRejected || !isPage) throw error
        return pageResponse(signInPage(shop, baseUrl(), path.replace(':mountId', params.mountId ?? '')), 401)
      }
    }

  const files = [...assetPages, ...Object.values(sandboxAssets).map(serveAsset)]
  const byPath: Record<string, ByMethod> = {
    '/': {
      GET: responding(
        orSignIn('', async (request) => {
          mayManage(request)
          const list = host().list().map(showStored)
          return prefersHtml(request.headers.get('accept'))
            ? pageResponse(hostPage(shop, baseUrl(), list, hostKey !== undefined))
            : { name: `${shop.title} sandboxes`, sandboxes: `${baseUrl()}/sandboxes` }
        }),
      ),
    },
    ...Object.fromEntries(files.map(({ path, get }) => [path, { GET: (request: Request) => get(request) }])),
    '/healthz': { GET: responding(async () => ({ status: 'ok' })) },
    '/sandboxes': {
      GET: responding(async (request) => {
        mayManage(request)
        return { data: host().list().map(showStored) }
      }),
      POST: responding(async (request) => {
        mayManage(request)
        const { clock, ...wanted } = await readInput(request, NewSandboxShape)
        const sandbox = await host().create({ ...wanted, clock: clock && clockStateOf(clock, hostTime()) })
        const { url, ...shown } = showSandbox(sandbox)
        return Response.json({ url, ...shown }, { status: 201, headers: { ...hostHeaders, Location: url } })
      }),
    },
    '/sandboxes/:id': {
      DELETE: responding(async (request, { id = '' }) => {
        mayManage(request)
        await host().end(id)
      }),
    },
  }
  for (const [path, own] of Map.groupBy(createTools(shop, mayManage), ({ path }) => `${toolsPath}${path}`)) {
    byPath[path] = Object.fromEntries(
      own.map(({ method, handle }) => [
        method,
        responding(
          orSignIn(toolsPath, async (request, params) => {
            const { mountId = '' } = params
            const record = recordOf(mountId)
            mayManage(request, record && apiKeyOf(record, hostKey))
            return host().use(mountId, (sandbox) => handle(sandbox, request, host(), params))
          }),
        ),
      ]),
    )
  }
  if (hostKey !== undefined) {
    const { signIn, signOut } = createSignIn({ baseUrl, hostKey, hostTime })
    byPath['/sign-in'] = {
      POST: responding((request) => signIn(request, undefined)),
      DELETE: responding((request) => signOut(request, undefined)),
    }
    const pathOf = (mountId: string) => toolsPath.replace(':mountId', mountId)
    byPath[`${toolsPath}/sign-in`] = {
      POST: responding((request, { mountId = '' }) => {
        const record = recordOf(mountId)
        return signIn(request, record && { path: pathOf(mountId), key: apiKeyOf(record, hostKey) })
      }),
      DELETE: responding((request, { mountId = '' }) => signOut(request, pathOf(mountId))),
    }
  }
  return {
    byPath: withOtherMethods(byPath, responding, cors),
    fallback: responding(async () => {
      throw new HostError(404, 'route_not_found', 'There is nothing at this path. POST /sandboxes creates a sandbox.')
    }) as unknown as Handlers['fallback'],
  }
}

/** Handles HEAD where there is GET, and 405 to the methods that a path does not have. */
function withOtherMethods(
  byPath: Record<string, ByMethod>,
  responding: (work: Work) => Handler,
  cors: Cors,
): Record<string, ByMethod> {
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
  return Object.fromEntries(
    Object.entries(byPath).map(([path, { GET, ...others }]) => {
      const own: ByMethod = { ...(GET && { GET, HEAD: GET }), ...others }
      const allow = Object.keys(own).join(', ')
      const wrongMethod = responding(async () => {
        throw new HostError(405, 'method_not_allowed', `This path takes ${allow}.`, { headers: { Allow: allow } })
      })
      const all = { ...Object.fromEntries(methods.map((method) => [method, wrongMethod])), ...own }
      return [path, cors.wrap(all, allow)]
    }),
  )
}
