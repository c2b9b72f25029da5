import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { FileStack, Link2, NotebookPen, Share } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Form, FormActions } from '../../components/form.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { SelectField } from '../../components/select.tsx'
import { isAtLeast } from '../../domain/roles.ts'
import { collectionsQuery } from '../../features/collections/queries.ts'
import { pathsOf } from '../../features/collections/tree.ts'
import { addLink, addNote } from '../../features/documents/mutations.ts'
import { librariesQuery } from '../../features/libraries/queries.ts'
import { addComment } from '../../features/reader/mutations.ts'
import { discardSharedIn, sharedInQuery } from '../../features/uploads/shared-in.ts'
import { formatBytes } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { useSession } from '../../lib/session/use-session.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'
import { addFiles } from '../library/add-files.ts'
import { type Received, readReceived } from './received.ts'

const route = getRouteApi('/_signed-in/share')

/** Asks in which library shared content belongs. Adds nothing without confirmation. */
export function ShareScreen() {
  const { title = '', text = '', url = '', quote } = route.useSearch()
  const { user } = useSession()
  const { data: libraries } = useSuspenseQuery(librariesQuery(user.id))
  const { data: sharedIn } = useSuspenseQuery(sharedInQuery)
  const received = readReceived(sharedIn ?? { title, text, url, files: [] }, quote)
  const writable = libraries.filter(({ role }) => isAtLeast(role, 'editor'))
  usePageTitle(t('Add to a library'))

  return (
    <main id="main" className="mx-auto grid w-full max-w-xl gap-6 px-4 py-8 sm:px-8 sm:py-12">
      <h1 className="font-semibold font-serif text-3xl tracking-tight">{t('Add to a library')}</h1>
      {received === null ? (
        <EmptyState icon={Share} title={t('Nothing was shared')} action={<HomeLink />}>
          {t('Share a page, a text or a file from another app, and it arrives here.')}
        </EmptyState>
      ) : writable.length === 0 ? (
        <EmptyState icon={Share} title={t('None of your libraries accepts new documents')} action={<HomeLink />}>
          {t('You can read in your libraries but not add to any. Create your own first, then share again.')}
        </EmptyState>
      ) : (
        <AddForm received={received} libraries={writable} />
      )}
    </main>
  )
}

const HomeLink = () => (
  <Button asChild look="primary">
    <Link to="/">{t('My libraries')}</Link>
  </Button>
)

type AddFormProps = { received: Received; libraries: readonly { id: string; name: string }[] }

function AddForm({ received, libraries }: AddFormProps) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [library, setLibrary] = useState(libraries[0]?.id ?? '')
  const [chosen, setChosen] = useState('')
  const { data: collections = [] } = useQuery(collectionsQuery(library))
  const collection = collections.some(({ id }) => id === chosen) ? chosen : undefined
  // Makes retries idempotent.
  const [id] = useState(() => crypto.randomUUID())
  const linking = useMutation(addLink)
  const writing = useMutation(addNote)
  const marking = useMutation(addComment)
  const adding = useMutation({
    mutationFn: async () => {
      if (received.kind === 'link') {
        const { title, url, page, quote } = received
        const link = await linking.mutateAsync({ library, url, collection, ...(page && { title, page }) })
        if (quote) {
          const anchor = { page: null, quote }
          await marking.mutateAsync({ id, library, document: link.id, body: '', anchor })
        }
        return link.id
      }
      if (received.kind === 'note') {
        const { title, body } = received
        await writing.mutateAsync({ library, document: id, title, body, collection })
        return undefined
      }
      const files = received.files.map((file) => ({ file, folders: [] }))
      await addFiles(queryClient, files, { library, collection })
      return undefined
    },
    // The browser extension then closes its window (extension/background.ts).
    onSuccess: async (document) => {
      await discardSharedIn()
      if (document) await navigate({ to: '/l/$library/d/$document', params: { library, document }, replace: true })
      else await navigate({ to: '/l/$library', params: { library }, replace: true })
    },
  })
  return (
    <Form onSubmit={() => adding.mutate()}>
      <Preview received={received} />
      <SelectField
        label={t('Library')}
        value={library}
        onValue={setLibrary}
        options={libraries.map(({ id, name }) => ({ value: id, label: name }))}
      />
      {collections.length > 0 ? (
        <SelectField
          label={t('Collection')}
          value={collection ?? ''}
          onValue={setChosen}
          options={[
            { value: '', label: t('No collection') },
            ...pathsOf(collections).map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      ) : null}
      <FailureNotice error={adding.error} />
      <FormActions
        action={t('Add')}
        busy={adding.isPending}
        onCancel={() => void discardSharedIn().then(() => navigate({ to: '/', replace: true }))}
      />
    </Form>
  )
}

function Preview({ received }: { received: Received }) {
  const { icon: Icon, lines } = previewOf(received)
  return (
    <div className="flex items-start gap-3 rounded-lg border border-line bg-surface p-4">
      <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
      <ul className="grid min-w-0 gap-1">
        {lines.map(({ id, text, hint }) => (
          <li key={id} className="min-w-0">
            <p dir="auto" className="line-clamp-3 break-words text-sm">
              {text}
            </p>
            {hint ? <p className="truncate text-ink-faint text-xs">{hint}</p> : null}
          </li>
        ))}
      </ul>
    </div>
  )
}

const PREVIEW = 300

function previewOf(received: Received) {
  switch (received.kind) {
    case 'files':
      return {
        icon: FileStack,
        lines: received.files.map(({ name, size }, id) => ({ id, text: name, hint: formatBytes(size) })),
      }
    case 'link': {
      const { title, url, quote } = received
      const page = { id: 0, text: title || url, hint: url }
      return {
        icon: Link2,
        lines: quote ? [page, { id: 1, text: quote, hint: t('This becomes a highlight.') }] : [page],
      }
    }
    case 'note':
      return { icon: NotebookPen, lines: [{ id: 0, text: received.title, hint: received.body.slice(0, PREVIEW) }] }
  }
}
