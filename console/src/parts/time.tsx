const formats: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' }

/** A moment in the reader's own time; the exact one is a hover away. */
export const Time = ({ at }: { at: string }) => (
  <time dateTime={at} title={at}>
    {new Date(at).toLocaleString(undefined, formats)}
  </time>
)

export const number = (value: number): string => value.toLocaleString()
