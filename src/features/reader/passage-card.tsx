import { passagePlace } from '../../domain/recognition.ts'
import { t } from '../../lib/i18n/i18n.ts'

type PassageCardProps = {
  passage: { page: number | null; heading: string | null; content: string; recognized: boolean | null }
}

export function PassageCard({ passage }: PassageCardProps) {
  const { heading, content } = passage
  return (
    <section aria-labelledby="passage">
      <h2 id="passage" className="eyebrow mb-2">
        {t('The passage')}
      </h2>
      <blockquote
        dir="auto"
        className="line-clamp-6 border-mark-strong border-s-2 ps-3 text-start font-serif text-[0.9375rem] text-ink-soft leading-relaxed"
      >
        {content}
      </blockquote>
      <p className="mt-2 text-ink-faint text-xs">
        {[passagePlace(passage), heading ?? ''].filter(Boolean).join(' · ')}
      </p>
    </section>
  )
}
