import clsx from 'clsx'
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { IconButton } from './button.tsx'

type TextBlockProps = { label: string; text: string; className?: string }

/** A preformatted text of any length. Scrolls, also by keyboard. */
export const TextBlock = ({ label, text, className }: TextBlockProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
  <section tabIndex={0} aria-label={label} className={clsx('overflow-auto p-3', className)}>
    <pre className="whitespace-pre-wrap break-words font-mono text-xs">{text}</pre>
  </section>
)

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), 1_500)
    return () => clearTimeout(timer)
  }, [isCopied])
  return (
    <IconButton
      icon={isCopied ? Check : Copy}
      label={isCopied ? 'Copied' : label}
      onClick={() => void navigator.clipboard.writeText(text).then(() => setIsCopied(true))}
    />
  )
}
