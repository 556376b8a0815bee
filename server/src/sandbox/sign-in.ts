import { z } from 'zod'
import { unauthorized } from '../platform/access/admission.ts'
import { apiErrors } from '../platform/api/errors.ts'
import { isOwnPage, notAllowed } from './access.ts'
import { rootOf } from './pages/host-page.ts'
import { readInput } from './read-input.ts'
import { endedCookie, isEqual, sessionCookie } from './session.ts'

const SignIn = z.strictObject({ key: z.string().max(200) })

interface Dependencies {
  readonly baseUrl: () => string
  readonly hostKey: string
  readonly hostTime: () => number
}

/** A sandbox whose own key opens its screens. */
interface OwnKey {
  readonly path: string
  readonly key: string
}

/** Gives a browser a cookie for a key, because it cannot send a header when it opens a page. */
export function createSignIn({ baseUrl, hostKey, hostTime }: Dependencies) {
  const everywhere = () => `${rootOf(baseUrl())}/`
  const below = (path: string) => `${rootOf(baseUrl())}${path}`
  const response = (...cookies: string[]) => {
    const setCookies = cookies.map((cookie): [string, string] => ['Set-Cookie', cookie])
    return new Response(null, { status: 204, headers: [['Cache-Control', 'no-store'], ...setCookies] })
  }

  return {
    async signIn(request: Request, sandbox: OwnKey | undefined): Promise<Response> {
      if (!isOwnPage(request, baseUrl())) throw notAllowed()
      const { key } = await readInput(request, SignIn)
      const isOfHost = isEqual(key, hostKey)
      if (!isOfHost && !(sandbox && isEqual(key, sandbox.key))) throw unauthorized(apiErrors.invalid_api_key)
      const path = isOfHost || !sandbox ? everywhere() : below(sandbox.path)
      return response(sessionCookie({ key, path, isSecure: baseUrl().startsWith('https:'), now: hostTime() }))
    },
    /** At a sandbox, both cookies end: the browser may have signed in there with either key. */
    async signOut(request: Request, sandboxPath: string | undefined): Promise<Response> {
      if (!isOwnPage(request, baseUrl())) throw notAllowed()
      const own = sandboxPath === undefined ? [] : [endedCookie(below(sandboxPath))]
      return response(endedCookie(everywhere()), ...own)
    },
  }
}
