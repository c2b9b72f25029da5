import type { ReactNode } from 'react'
import { Wordmark } from '../../components/wordmark.tsx'
import { LANGUAGE_CHOICES, t } from '../../lib/i18n/i18n.ts'
import { chosenLanguage, setAppearance } from '../../lib/ui/appearance.ts'

type AccountFrameProps = { title: string; lead?: ReactNode; children: ReactNode; footer?: ReactNode }

export function AccountFrame({ title, lead, children, footer }: AccountFrameProps) {
  return (
    <div className="grid min-h-dvh lg:grid-cols-[minmax(28rem,5fr)_6fr]">
      <main id="main" className="flex flex-col px-6 py-8 sm:px-12">
        <div className="flex items-center justify-between">
          <a href="/" className="rounded">
            <Wordmark />
          </a>
          <LanguageChoice />
        </div>
        {/* Fixed, because centering by height would move the form when content loads. */}
        <div className="mx-auto mt-[max(0rem,calc(50dvh-24rem))] w-full max-w-sm py-12">
          <h1 className="font-semibold font-serif text-3xl tracking-tight">{title}</h1>
          {lead ? <div className="mt-2 text-ink-soft leading-relaxed">{lead}</div> : null}
          <div className="mt-7">{children}</div>
          {footer ? <div className="mt-8 border-line border-t pt-5 text-ink-soft text-sm">{footer}</div> : null}
        </div>
      </main>
      <aside
        className="hidden border-line border-s bg-sunken lg:grid lg:place-items-center lg:p-16"
        aria-label={t('What Carrel is')}
      >
        <figure className="max-w-lg">
          <blockquote className="font-serif text-[1.7rem] leading-[1.55] text-ink">
            {t('We had the answer all along. It was on')}{' '}
            <mark>{t('page 41 of a report that nobody had opened since March')}</mark>
            {t(', between two tables.')}
          </blockquote>
          <figcaption className="mt-8 border-line border-t pt-6 text-ink-soft leading-relaxed">
            {t(
              'Carrel is a library your team shares. Add files, notes and links. Search finds the passage, not only the file, and you read it in place, together.',
            )}
          </figcaption>
        </figure>
      </aside>
    </div>
  )
}

/** Native select, because Radix' would be loaded only for this. */
function LanguageChoice() {
  return (
    <select
      aria-label={t('Language')}
      value={chosenLanguage()}
      onChange={({ target }) => {
        const chosen = LANGUAGE_CHOICES.find(({ value }) => value === target.value)
        if (chosen) setAppearance({ language: chosen.value })
      }}
      className="h-9 cursor-pointer rounded-md border border-transparent bg-transparent px-2 text-ink-soft text-sm hover:border-edge hover:text-ink"
    >
      {LANGUAGE_CHOICES.map(({ value, label }) => (
        <option key={value} value={value} lang={value}>
          {label}
        </option>
      ))}
    </select>
  )
}
