import { Bookmark, Puzzle } from 'lucide-react'
import { useId } from 'react'
import { Button } from '../../../components/button.tsx'
import { CopyField } from '../../../components/copy-field.tsx'
import { t } from '../../../lib/i18n/i18n.ts'

/** Characters of selected text to send: URLs have a limit. */
const MAX_SELECTION_LENGTH = 4000

/** A bookmarklet that sends the current page and selection to the app. @param origin The app's origin. */
const bookmarklet = (origin: string): string =>
  `javascript:void open('${origin}/share?'+new URLSearchParams({title:document.title,url:location.href,quote:String(getSelection()).slice(0,${MAX_SELECTION_LENGTH})}),'_blank')`

export function KeepPagesHelp() {
  const hint = useId()
  const code = bookmarklet(location.origin)
  return (
    <details className="border-line border-t pt-4 text-sm">
      <summary className="cursor-pointer font-medium text-ink-soft">{t('Save pages while you browse')}</summary>
      <div className="mt-3 grid gap-3">
        <p className="text-ink-soft leading-relaxed">
          {t(
            'The extension for Chrome, Edge and other Chromium browsers saves a page as you see it, including pages behind a login, and saves selected text as a highlight. Unpack it, open chrome://extensions, turn on developer mode and load the folder.',
          )}
        </p>
        <Button asChild>
          <a href="/carrel-extension.zip" download className="justify-self-start">
            <Puzzle aria-hidden className="size-4" />
            {t('Download the extension')}
          </a>
        </Button>
        <p id={hint} className="text-ink-soft leading-relaxed">
          {t(
            'Or drag this button to your bookmarks bar. Click it on any page to save that page, or the text you’ve selected there as a note.',
          )}
        </p>
        {/* React strips javascript: URLs from links; this one is for the bookmarks bar only. */}
        <a
          href="/share"
          ref={(link) => link?.setAttribute('href', code)}
          aria-describedby={hint}
          className="inline-flex items-center gap-2 justify-self-start rounded-md border border-line bg-surface px-3 py-1.5 font-medium"
        >
          <Bookmark aria-hidden className="size-4" />
          {t('Save to Carrel')}
        </a>
        <CopyField label={t('Or create a bookmark with this address')} value={code} />
      </div>
    </details>
  )
}
