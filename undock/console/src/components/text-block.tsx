import clsx from 'clsx'

type TextBlockProps = { label: string; text: string; className?: string }

/** A text of any length, as it is. It scrolls, also by keyboard. */
export const TextBlock = ({ label, text, className }: TextBlockProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
  <section tabIndex={0} aria-label={label} className={clsx('overflow-auto p-3', className)}>
    <pre className="whitespace-pre-wrap break-words font-mono text-xs">{text}</pre>
  </section>
)
