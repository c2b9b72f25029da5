import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { MailCheck, Mail as MailIcon, Paperclip, SearchX, Trash2 } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Confirm } from '../components/confirm.tsx'
import { SearchFilter } from '../components/filters.tsx'
import { PageLink } from '../components/link.tsx'
import { Page } from '../components/page.tsx'
import { SplitPane } from '../components/split-pane.tsx'
import { Empty, Pending } from '../components/states.tsx'
import { tellDone, tellFailure } from '../components/toast.tsx'
import { MailView } from '../features/mail/mail-view.tsx'
import { deleteMails, type MailSummary, mailsQuery, refreshMails, useLiveMails } from '../features/mail/mails.ts'
import { count, counted, time } from '../lib/format.ts'
import { useSearchChange } from '../lib/state.ts'

const route = getRouteApi('/mail')

/** The inbox that receives all of the project's mails. */
export function MailScreen() {
  const { q = '', id, view } = route.useSearch()
  const change = useSearchChange()
  const { data, error, refetch } = useQuery({ ...mailsQuery(q), placeholderData: (before) => before })
  const [isDeletingAll, setIsDeletingAll] = useState(false)
  useLiveMails()
  const mails = data?.messages ?? []
  const open = (next: string | undefined) => change({ id: next })
  const remove = async (gone: string) => {
    const at = mails.findIndex(({ ID }) => ID === gone)
    await deleteMails([gone])
    if (gone === id) open((mails[at + 1] ?? mails[at - 1])?.ID)
    await refreshMails()
  }
  const onKey = (event: KeyboardEvent) => {
    const at = mails.findIndex(({ ID }) => ID === id)
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      const next = mails[Math.min(mails.length - 1, Math.max(0, at + step))]
      open(next?.ID)
      document.getElementById(`mail-${next?.ID}`)?.focus()
    }
    if (event.key === 'Delete' && id !== undefined) void remove(id).catch(tellFailure)
  }
  return (
    <Page
      title="Mail"
      subtitle={data ? `${counted(data.total, 'mail')}, ${count(data.unread)} unread` : null}
      actions={
        <>
          <PageLink to="/mail/templates">Templates</PageLink>
          <SearchFilter
            name="q"
            label="Search emails"
            placeholder="Search, such as to:ada is:unread"
            className="w-64!"
          />
          <Button
            icon={Trash2}
            look="danger"
            disabled={!data || data.total === 0}
            onClick={() => setIsDeletingAll(true)}
          >
            Delete all
          </Button>
        </>
      }
    >
      {!data ? (
        <Pending error={error} onRetry={refetch} />
      ) : data.total === 0 ? (
        <Empty icon={MailIcon} title="No emails yet">
          Emails that the project sends arrive here. Sign up a user, or send an email to the SMTP port of this backend.
        </Empty>
      ) : (
        <SplitPane
          label="Mails"
          className="w-80 md:max-w-[45%]"
          isChosen={id !== undefined}
          side={
            <nav aria-label="Mails" onKeyDown={onKey}>
              {mails.length === 0 ? <Empty icon={SearchX} title="No matching emails" /> : null}
              <ul className="divide-y">
                {mails.map((mail) => (
                  <Row key={mail.ID} mail={mail} isOpen={mail.ID === id} />
                ))}
              </ul>
            </nav>
          }
        >
          {id === undefined ? (
            <Empty icon={MailCheck} title="Choose an email">
              Its codes and links are shown above its text.
            </Empty>
          ) : (
            <MailView
              key={id}
              id={id}
              view={view}
              onView={(next) => change({ view: next })}
              onDelete={() => void remove(id).catch(tellFailure)}
            />
          )}
        </SplitPane>
      )}
      {isDeletingAll ? (
        <Confirm
          title="Delete all mails?"
          action="Delete all"
          onClose={() => setIsDeletingAll(false)}
          run={async () => {
            await deleteMails([])
            open(undefined)
            await refreshMails()
            tellDone('The inbox is empty.')
          }}
        >
          All emails in the inbox are deleted, including those hidden by a search.
        </Confirm>
      ) : null}
    </Page>
  )
}

function Row({ mail, isOpen }: { mail: MailSummary; isOpen: boolean }) {
  const { ID, Read, To, Subject, Created, Snippet, Attachments } = mail
  return (
    <li className="[content-visibility:auto]">
      <Link
        id={`mail-${ID}`}
        from="/mail"
        search={(before) => ({ ...before, id: ID })}
        aria-current={isOpen ? 'true' : undefined}
        className={`grid gap-0.5 px-3 py-2 text-[13px] hover:bg-panel aria-[current=true]:bg-accent-soft ${Read ? '' : 'font-semibold'}`}
      >
        <span className="flex items-center gap-2">
          <span className="min-w-0 flex-1 truncate">
            {To.map(({ Address }) => Address).join(', ') || '(no recipients)'}
          </span>
          {Attachments > 0 ? <Paperclip aria-label="has attachments" className="size-3.5 text-ink-faint" /> : null}
          <time dateTime={Created} className="shrink-0 font-normal text-ink-faint text-xs">
            {time(Created)}
          </time>
        </span>
        <span className="truncate">
          {Read ? null : <span className="sr-only">Unread: </span>}
          {Subject || '(no subject)'}
        </span>
        <span className="truncate font-normal text-ink-faint text-xs">{Snippet}</span>
      </Link>
    </li>
  )
}
