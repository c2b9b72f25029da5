import { t } from '../../lib/i18n/i18n.ts'

export type SharedPassagesProps = {
  passages: readonly { page: number | null; heading: string | null; content: string }[]
}

/** The passages of a document that cannot be displayed itself, in order, each heading once. */
export function SharedPassages({ passages }: SharedPassagesProps) {
  if (passages.length === 0) return <p className="text-ink-soft text-sm">{t('It has no text to show.')}</p>
  return (
    <div className="prose max-w-[44rem]">
      {passages.map(({ heading, content }, index) => (
        // Passages have no id here, and their order never changes.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <section key={index}>
          {heading && heading !== passages[index - 1]?.heading ? <h2>{heading}</h2> : null}
          <p className="bidi-lines whitespace-pre-line">{content}</p>
        </section>
      ))}
    </div>
  )
}
