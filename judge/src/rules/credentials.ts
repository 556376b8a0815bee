import { broken, kept, type Rule } from './rule.ts'

export const credentials: Rule = {
  id: 'credentials',
  level: 'must',
  title: 'Sends no credential in a URL',
  advice: ({ credentials }) =>
    `Send the credential in ${credentials?.sendIn}: URLs end up in logs, histories and Referer headers.`,
  needs: ['credentials'],
  check({ exchanges }, { credentials }) {
    const patterns = new RegExp(credentials?.inAddress.join('|') ?? '', 'i')
    return exchanges.map((exchange) =>
      exchange.hasCredential || patterns.test(exchange.target)
        ? broken([exchange], `Request ${exchange.id} has a credential in its URL.`)
        : kept(exchange),
    )
  },
}
