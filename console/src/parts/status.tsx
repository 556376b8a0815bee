const tones: Record<string, string> = {
  available: 'good',
  delivered: 'good',
  complete: 'good',
  active: 'good',
  pending: 'warn',
  open: 'info',
  failed: 'bad',
  banned: 'bad',
  off: 'bad',
}

/** A state in a word; the colour only underlines it. */
export const Status = ({ value }: { value: string }) => <span class={`status-word ${tones[value] ?? ''}`}>{value}</span>
