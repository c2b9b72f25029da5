import { Link } from '@tanstack/react-router'
import { useId } from 'react'

type DocumentListProps = { library: string; heading: string; documents: readonly { id: string; title: string }[] }

export function DocumentList({ library, heading, documents }: DocumentListProps) {
  const id = useId()
  if (documents.length === 0) return null
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="eyebrow mb-2">
        {heading}
      </h2>
      <ul className="grid gap-1">
        {documents.map((document) => (
          <li key={document.id}>
            <Link
              dir="auto"
              to="/l/$library/d/$document"
              params={{ library, document: document.id }}
              className="block wrap-anywhere rounded py-1 font-serif text-[0.9375rem] hover:text-accent-strong"
            >
              {document.title}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
