import { useMutation, useQuery } from '@tanstack/react-query'
import { ExternalLink, MailOpen, Paperclip, Trash2 } from 'lucide-react'
import { useEffect, useMemo } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { CopyButton, TextBlock } from '../../components/copy-button.tsx'
import { Facts } from '../../components/page.tsx'
import { Pending } from '../../components/states.tsx'
import { tellFailure } from '../../components/toast.tsx'
import { saveFile } from '../../lib/browser.ts'
import { bytes, time } from '../../lib/format.ts'
import { findInMail } from './find-in-mail.ts'
import {
  addressText,
  frameUrl,
  type Mail,
  mailQuery,
  type Part,
  partUrl,
  refreshMails,
  setRead,
  sourceQuery,
} from './mails.ts'

const MAIL_VIEWS = ['html', 'text', 'source'] as const
type MailViewName = (typeof MAIL_VIEWS)[number]
const NAMES: Readonly<Record<MailViewName, string>> = { html: 'HTML', text: 'Text', source: 'Source' }

type MailViewProps = {
  id: string
  view: MailViewName | undefined
  onView: (view: MailViewName) => void
  onDelete: () => void
}

export function MailView({ id, view, onView, onDelete }: MailViewProps) {
  const { data: mail, error, refetch } = useQuery(mailQuery(id))
  useEffect(() => {
    // Opening marked it as read.
    if (mail) void refreshMails()
  }, [mail])
  const markUnread = useMutation({ mutationFn: () => setRead([id], false), onError: tellFailure })
  if (error || !mail) return <Pending error={error} onRetry={refetch} label="Opening the email" />
  const currentView = mail.HTML === '' && view !== 'source' ? 'text' : (view ?? 'html')
  return (
    <article aria-label={mail.Subject || 'Mail'} className="flex h-full min-w-0 flex-col">
      <header className="grid gap-2 border-b p-4">
        <div className="flex items-start gap-2">
          <h2 className="min-w-0 flex-1 break-words font-semibold text-[15px]">{mail.Subject || '(no subject)'}</h2>
          <IconButton icon={MailOpen} label="Mark as unread" onClick={() => markUnread.mutate()} />
          <Button icon={Trash2} look="danger" onClick={onDelete}>
            Delete
          </Button>
        </div>
        <Envelope mail={mail} />
        <FoundInMail mail={mail} />
        <Attachments mail={mail} />
      </header>
      <div className="flex items-center gap-1 border-b px-3 py-1">
        {MAIL_VIEWS.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === currentView}
            disabled={one === 'html' && mail.HTML === ''}
            onClick={() => onView(one)}
            className="rounded-md px-2 py-0.5 text-[13px] text-ink-soft hover:bg-panel disabled:opacity-50 aria-pressed:bg-accent-soft aria-pressed:text-ink"
          >
            {NAMES[one]}
          </button>
        ))}
        {currentView === 'html' && /\bsrc\s*=\s*["']?(?:https?:)?\/\//i.test(mail.HTML) ? (
          <p className="ml-2 text-ink-faint text-xs">Images from other servers are not loaded.</p>
        ) : null}
      </div>
      <div className="min-h-0 flex-1 overflow-auto">
        {currentView === 'html' ? (
          <iframe sandbox="" src={frameUrl(id)} title="The email as HTML" className="h-full w-full bg-white" />
        ) : currentView === 'text' ? (
          <TextBlock label="The email as text" text={mail.Text} className="h-full" />
        ) : (
          <Source id={id} />
        )}
      </div>
    </article>
  )
}

function Envelope({ mail }: { mail: Mail }) {
  const rows = { From: [mail.From], To: mail.To, Cc: mail.Cc, Bcc: mail.Bcc, 'Reply to': mail.ReplyTo }
  return (
    <Facts
      className="text-[13px]!"
      facts={[
        ...Object.entries(rows).flatMap(([name, addresses]) =>
          addresses.length > 0 ? [[name, addresses.map(addressText).join(', ')] as const] : [],
        ),
        ['Date', time(mail.Date)],
      ]}
    />
  )
}

/** The codes and links of a mail, which developers usually look for. */
function FoundInMail({ mail: { Text: text, HTML: html } }: { mail: Mail }) {
  const { codes, links } = useMemo(() => findInMail({ text, html }), [text, html])
  if (codes.length === 0 && links.length === 0) return null
  return (
    <ul aria-label="Codes and links" className="max-h-36 divide-y overflow-auto rounded-md border bg-raised">
      {codes.map((code) => (
        <li key={code} className="flex items-center gap-2 py-0.5 pr-1 pl-3">
          <span className="text-ink-faint text-xs">Code</span>
          <code className="flex-1 font-mono font-semibold text-[15px] tracking-wider">{code}</code>
          <CopyButton text={code} label={`Copy the code ${code}`} />
        </li>
      ))}
      {links.map(({ text: name, url }) => (
        <li key={url} className="flex items-center gap-2 py-0.5 pr-1 pl-3 text-xs">
          {name && name !== url ? <span className="max-w-40 shrink-0 truncate font-medium">{name}</span> : null}
          <code className="min-w-0 flex-1 truncate font-mono text-ink-soft" title={url}>
            {url}
          </code>
          <CopyButton text={url} label={`Copy the link ${name || url}`} />
          <a
            href={url}
            target="_blank"
            rel="noopener noreferrer"
            title="Open in a new tab"
            aria-label={`Open ${name || url} in a new tab`}
            className="inline-flex size-8 items-center justify-center rounded-md text-ink-soft hover:bg-panel [&_svg]:size-4"
          >
            <ExternalLink aria-hidden />
          </a>
        </li>
      ))}
    </ul>
  )
}

function Attachments({ mail: { ID, Attachments: parts } }: { mail: Mail }) {
  if (parts.length === 0) return null
  return (
    <ul aria-label="Attachments" className="flex flex-wrap gap-2">
      {parts.map((part) => (
        <li key={part.PartID}>
          <Button icon={Paperclip} onClick={() => void save(ID, part).catch(tellFailure)}>
            {part.FileName || 'attachment'} ({bytes(part.Size)})
          </Button>
        </li>
      ))}
    </ul>
  )
}

/** Downloads an attachment; it's never opened here. */
async function save(id: string, part: Part): Promise<void> {
  const response = await fetch(partUrl(id, part))
  if (!response.ok) throw new Error('The attachment no longer exists: the email was deleted.')
  saveFile(part.FileName || 'attachment', 'application/octet-stream', await response.arrayBuffer())
}

function Source({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(sourceQuery(id))
  if (error || data === undefined) return <Pending error={error} onRetry={refetch} />
  return <TextBlock label="The source of the email" text={data} className="h-full" />
}
