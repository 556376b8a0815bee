interface Tab {
  readonly text: string
  /** How many there are, if known. */
  readonly total?: string | undefined
  readonly href: string
  readonly isHere: boolean
}

/** Views of the same list, each with its own address. */
export const Tabs = ({ label, tabs }: { label: string; tabs: readonly Tab[] }) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ text, total, href, isHere }) => (
      <a key={text} href={href} aria-current={isHere ? 'page' : undefined}>
        {text} {total && <span class="soft total">{total}</span>}
      </a>
    ))}
  </nav>
)
