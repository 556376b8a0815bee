const tones: Record<string, string> = {
  available: 'good',
  delivered: 'good',
  completed: 'good',
  active: 'good',
  pending: 'warn',
  low: 'warn',
  open: 'info',
  failed: 'bad',
  banned: 'bad',
  off: 'bad',
  'none left': 'bad',
  revoked: 'bad',
}

/** A state as a word; the colour only supports it. */
export const Status = ({ value }: { value: string }) => <span class={`status-word ${tones[value] ?? ''}`}>{value}</span>
