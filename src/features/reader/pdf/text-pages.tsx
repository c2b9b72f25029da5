import { t } from '../../../lib/i18n/i18n.ts'
import { classNames } from '../../../lib/ui/class-names.ts'
import type { TextPart } from './page-texts.ts'
import { labelOf, type PageLabels } from './pages-and-zoom.ts'

type TextPagesProps = { pages: readonly number[]; labels: PageLabels; texts: ReadonlyMap<number, readonly TextPart[]> }

/** More pages than can be laid out at once without a wait: of these, only those in sight are, whose heights are guessed before. */
const MANY = 500

/** The text of a PDF in the width of the window, with a line where a page begins. */
export function TextPages({ pages, labels, texts }: TextPagesProps) {
  return pages.map((page) => (
    <section
      key={page}
      data-page={page}
      data-readable
      aria-label={t('Page {page}', { page: labelOf(page, labels) })}
      className={classNames(
        'pdf-sheet prose mx-auto w-full max-w-[44rem]',
        pages.length > MANY && '[contain-intrinsic-size:auto_40rem] [content-visibility:auto]',
      )}
    >
      <div
        // Generated content, and so no part of a text that goes on from one page to the next.
        data-label={labelOf(page, labels)}
        className="border-line border-t pt-1 text-end font-sans text-ink-faint text-xs before:content-[attr(data-label)]"
      />
      {texts.get(page)?.map(({ heading, text }, index) => (
        // Parts have no id, and their order never changes.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={index}>
          {heading ? <h2>{heading.split(' › ').at(-1)}</h2> : null}
          <p className="bidi-lines whitespace-pre-line">{text}</p>
        </div>
      ))}
    </section>
  ))
}
