/** The form of keys and of webhook secrets, also inside other text. */
const secrets = /\b(ps_|whsec_)[\w+/=%-]{8,}/g
const secretHeaders = ['x-api-key', 'authorization', 'proxy-authorization', 'cookie']

/** Replaces every secret of the service in a text. */
export const cutSecrets = (text: string): string => text.replace(secrets, '$1…')

/** The headers without their secrets, whichever service those belong to. */
export function cutHeaders(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const cut: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) cut[name] = cutSecrets(String(value))
  for (const name of secretHeaders) {
    const value = cut[name]
    if (value !== undefined && !/^(?:Bearer )?ps_…$/i.test(value)) cut[name] = '…'
  }
  return cut
}
