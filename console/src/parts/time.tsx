const formats: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' }

/** A time in the user's time zone; the exact one as a tooltip. */
export const Time = ({ at }: { at: string }) => (
  <time dateTime={at} title={at}>
    {new Date(at).toLocaleString(undefined, formats)}
  </time>
)

export const number = (value: number): string => value.toLocaleString()

export const formatTimeOfDay = (ms: number): string =>
  new Date(ms).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
