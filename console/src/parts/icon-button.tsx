import { Icon, type IconName } from './icon.tsx'

interface Props {
  readonly icon: IconName
  /** What screen readers say; `title` is what the pointer shows. */
  readonly label: string
  readonly title?: string
  readonly onClick: () => void
}

export const IconButton = ({ icon, label, title, onClick }: Props) => (
  <button type="button" class="icon" aria-label={label} title={title} onClick={onClick}>
    <Icon name={icon} />
  </button>
)
