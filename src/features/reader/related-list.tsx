import { Link } from '@tanstack/react-router'
import { t } from '../../lib/i18n/i18n.ts'

type RelatedListProps = { library: string; documents: readonly { document_id: string; title: string }[] }

/** Documents whose passages lie close to this one's; nothing where none do. */
export function RelatedList({ library, documents }: RelatedListProps) {
  if (documents.length === 0) return null
  return (
    <section aria-labelledby="related">
      <h2 id="related" className="eyebrow mb-2">
        {t('Close to this')}
      </h2>
      <ul className="grid gap-1">
        {documents.map(({ document_id, title }) => (
          <li key={document_id}>
            <Link
              to="/l/$library/d/$document"
              params={{ library, document: document_id }}
              className="block rounded py-1 font-serif text-[0.9375rem] hover:text-accent-strong"
            >
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
