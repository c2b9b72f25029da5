import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Bookmark, Puzzle } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { CopyField } from '../../../components/copy-field.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { TextField } from '../../../components/field.tsx'
import { Form, FormActions } from '../../../components/form.tsx'
import { failureText } from '../../../domain/failure.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import { showToast } from '../../../lib/ui/toast.ts'
import { addLink } from '../mutations.ts'
import { webAddress } from './web-address.ts'

/** Characters of selected text to send: URLs have a limit. */
const MAX_SELECTION_LENGTH = 4000

/** A bookmarklet that sends the current page and selection to the app. @param origin The app's origin. */
const bookmarklet = (origin: string): string =>
  `javascript:void open('${origin}/share?'+new URLSearchParams({title:document.title,url:location.href,quote:String(getSelection()).slice(0,${MAX_SELECTION_LENGTH})}),'_blank')`

function KeepPagesHelp() {
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

type LinkDialogProps = { library: string; collection: string | undefined; initial: string; onClose: () => void }

/** Adds a web page. Mounted only while open. */
export function LinkDialog({ library, collection, initial, onClose }: LinkDialogProps) {
  const navigate = useNavigate()
  const [address, setAddress] = useState(initial)
  const [fault, setFault] = useState<string>()
  const addition = useMutation({
    ...addLink,
    onSuccess: ({ id, title, added }) => {
      onClose()
      if (added) return
      showToast({
        title: t('This link is already in the library'),
        description: title,
        action: {
          label: t('Open'),
          onClick: () => void navigate({ to: '/l/$library/d/$document', params: { library, document: id } }),
        },
      })
    },
  })
  const submit = () => {
    const url = webAddress(address)
    setFault(url ? undefined : t('This isn’t a web address. Web addresses start with https:// or http://.'))
    if (url) addition.mutate({ library, url, collection })
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('Add a link')}
      description={t('The page is saved as it is now, readable and searchable, even if it changes or disappears.')}
    >
      <Form onSubmit={submit} noValidate>
        <TextField
          label={t('Address')}
          error={fault ?? (addition.error ? failureText(addition.error) : undefined)}
          type="url"
          inputMode="url"
          placeholder="https://"
          column="documents.url"
          value={address}
          onValue={setAddress}
        />
        <FormActions action={t('Keep it')} busy={addition.isPending} onCancel={onClose} />
      </Form>
      <KeepPagesHelp />
    </Dialog>
  )
}
