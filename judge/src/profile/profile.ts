/** Statuses or error codes of responses. */
export interface Responses {
  readonly statuses?: readonly number[]
  readonly codes?: readonly string[]
}

/**
 * How an API signals what a client has to know, as plain data. A rule does not apply if an entry that it needs is missing. Header names
 * are in lower case; operations have the names that the history uses.
 */
export interface Profile {
  /** What errors say. */
  readonly errors?: {
    /** The field of the body that has the code. */
    readonly codeField?: string
    /** Errors that pass with time: the same request should be sent again. */
    readonly retry: Responses
    /** Errors after which a client may send the same request again, or give up. */
    readonly mayRetry: Responses
  }
  /** How the API limits clients. */
  readonly limits?: Responses & {
    /** Whether a rejection is about everything that the client sends, or only about that operation. */
    readonly scope: 'client' | 'operation'
    /** Operations that have a separate limit. */
    readonly exempt?: readonly string[]
    /** Operations by which someone ends a limit early. */
    readonly liftedBy?: readonly string[]
    /** The header that says when the limit resets, as a Unix time: Retry-After is rounded up. */
    readonly resetHeader?: string
    /** The header that says how many requests are left: if any are, only a call that needs more, such as a batch, was rejected. */
    readonly remainingHeader?: string
  }
  /** How the API says that it has stopped serving a client that did not respect its limits. */
  readonly bans?: {
    readonly codes: readonly string[]
    /** For responses without a body: a header with the ends of all windows, as `;t=<seconds>`. A ban ends at none of them. */
    readonly windowsHeader?: string
  }
  /** The longest first wait that counts as back-off, if the API's own clients wait less than a tenth of a second. */
  readonly backOff?: { readonly firstMs: number }
  /** Requests that must not be done twice, and how the API recognises a repeat. */
  readonly repeats?: {
    readonly methods: readonly string[]
    /** The header that names the call, or the field of the body. If there is neither, no repeat is safe. */
    readonly header?: string
    readonly field?: string
    /** The operations that take it; by default, all with such a method. */
    readonly operations?: readonly string[]
    /** Responses which say that nothing was done. */
    readonly nothingDone: Responses
    /** Responses which say that no one knows. */
    readonly outcomeUnknown: Responses
    /** Responses which say that the name was used for another call. */
    readonly reused: Responses
    /** Whether a client must find out what became of a change without a response: by sending it again, or by looking. */
    readonly mustBeSettled?: boolean
    /** Reads that show whether any of them was done, whatever the path. Others do if near it: `/loans` shows `/loans/7/renewal`. */
    readonly shownBy?: readonly string[]
  }
  /** Edits that take `If-Match`. */
  readonly conditions?: { readonly operations: readonly string[] }
  /** Lists in pages, linked by `Link` with rel="next". */
  readonly pages?: {
    /** The query parameter that has the cursor. */
    readonly cursor: string
    /** Responses which say that a cursor is wrong. */
    readonly invalid: Responses
  }
  readonly deprecation?: { readonly header: string }
  /** Streams of events that `Last-Event-ID` resumes. */
  readonly streams?: {
    readonly operations: readonly string[]
    /** The query parameter that takes the id too. */
    readonly parameter?: string
    /** Reads that show what a stream would have sent, or what came of it. */
    readonly shownBy?: readonly string[]
  }
  readonly webhooks?: { readonly respondWithinSeconds: number }
  /** Patterns of credentials in an address. */
  readonly credentials?: { readonly inAddress: readonly string[]; readonly sendIn: string }
  /** The address of a guide for each rule. */
  readonly guides?: Readonly<Record<string, string>>
}
