/**
 * The form of keys and of webhook secrets, wherever they stand in a text: a space before them may be written as `%20`. Part of a key
 * is cut too, unless it is so short that it could be a word.
 */
const secrets = /(ps_)[\dA-Za-z]{20,}|(whsec_)[\w+/=%-]{8,}/g
const secretHeaders = ['x-api-key', 'authorization', 'proxy-authorization', 'cookie']

/** Replaces every secret of the service in a text. */
export const cutSecrets = (text: string): string => text.replace(secrets, '$1$2…')

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
