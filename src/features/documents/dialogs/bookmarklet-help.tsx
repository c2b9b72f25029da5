import { Bookmark } from 'lucide-react'
import { useId } from 'react'
import { CopyField } from '../../../components/copy-field.tsx'
import { t } from '../../../lib/i18n/i18n.ts'

/** Characters of the selected text that are sent: an address must not grow without end. */
const MOST_SELECTED = 4000

/** A bookmark that sends the page on which it is clicked, with the text that is selected there, to the app.
 *  @param origin Where the app is. */
const bookmarklet = (origin: string): string =>
  `javascript:void open('${origin}/share?'+new URLSearchParams({title:document.title,url:location.href,quote:String(getSelection()).slice(0,${MOST_SELECTED})}),'_blank')`

/** Offers a bookmark that keeps the page which is open in the browser. */
export function BookmarkletHelp() {
  const hint = useId()
  const code = bookmarklet(location.origin)
  return (
    <details className="border-line border-t pt-4 text-sm">
      <summary className="cursor-pointer font-medium text-ink-soft">{t('Keep pages while you browse')}</summary>
      <div className="mt-3 grid gap-3">
        <p id={hint} className="text-ink-soft leading-relaxed">
          {t(
            'Drag this button to your bookmarks bar. Clicked on any page it keeps that page, or the text that you have selected there as a note.',
          )}
        </p>
        {/* React takes addresses that run code out of links: this one is for the bookmarks bar alone. */}
        <a
          href="/share"
          ref={(link) => link?.setAttribute('href', code)}
          aria-describedby={hint}
          className="inline-flex items-center gap-2 justify-self-start rounded-md border border-line bg-surface px-3 py-1.5 font-medium"
        >
          <Bookmark aria-hidden className="size-4" />
          {t('Keep in Carrel')}
        </a>
        <CopyField label={t('Or make a bookmark with this address')} value={code} />
      </div>
    </details>
  )
}
