import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { FileText, SearchX } from 'lucide-react'
import { useState } from 'react'
import { PageLink } from '../components/link.tsx'
import { Page } from '../components/page.tsx'
import { SplitPane } from '../components/split-pane.tsx'
import { Empty, Pending } from '../components/states.tsx'
import { TemplateEditor } from '../features/mail/template-editor.tsx'
import { type Draft, draftOf, type ShownTemplate, TEMPLATE_NAMES, templatesQuery } from '../features/mail/templates.ts'

const route = getRouteApi('/mail/templates')

/** The templates of Auth's mails. */
export function MailTemplatesScreen() {
  const { kind } = route.useSearch()
  const { data, error, refetch } = useQuery(templatesQuery)
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>({})
  const chosen = data?.templates.find((one) => one.kind === kind)
  const change = (name: string, draft: Draft | null) =>
    setDrafts(({ [name]: _before, ...others }) => (draft ? { ...others, [name]: draft } : others))
  return (
    <Page title="Email templates" actions={<PageLink to="/mail">Inbox</PageLink>}>
      {data ? (
        <div className="flex h-full flex-col">
          {data.isHooked ? (
            <p className="border-b bg-warn-soft px-4 py-1.5 text-[13px] text-warn">
              The hook send_email in config.toml sends the emails of this project, so these templates are not used.
            </p>
          ) : null}
          <div className="min-h-0 flex-1">
            <SplitPane
              label="Templates"
              className="w-56"
              isChosen={kind !== undefined}
              side={
                <nav aria-label="Templates" className="p-2">
                  <Group
                    title="Links and codes"
                    templates={data.templates.filter(({ section }) => section === 'template')}
                    drafts={drafts}
                  />
                  <Group
                    title="Notifications"
                    templates={data.templates.filter(({ section }) => section === 'notification')}
                    drafts={drafts}
                  />
                </nav>
              }
            >
              {chosen ? (
                <TemplateEditor
                  key={chosen.kind}
                  template={chosen}
                  draft={drafts[chosen.kind] ?? draftOf(chosen)}
                  onChange={(draft) => change(chosen.kind, draft)}
                />
              ) : kind === undefined ? (
                <Empty icon={FileText} title="Choose a template">
                  Its text is shown next to a preview.
                </Empty>
              ) : (
                <Empty icon={SearchX} title={`Auth sends no mail ${kind}`} />
              )}
            </SplitPane>
          </div>
        </div>
      ) : (
        <Pending error={error} onRetry={refetch} />
      )}
    </Page>
  )
}

type GroupProps = {
  title: string
  templates: readonly ShownTemplate[]
  drafts: Readonly<Record<string, Draft>>
}

function Group({ title, templates, drafts }: GroupProps) {
  return (
    <section aria-label={title}>
      <h2 className="px-2 pt-2 pb-1 text-ink-faint text-xs">{title}</h2>
      <ul>
        {templates.map(({ kind, section, path, isEnabled }) => (
          <li key={kind}>
            <Link
              to="/mail/templates"
              search={{ kind }}
              className="grid rounded-md px-2 py-1 text-[13px] text-ink-soft hover:bg-panel hover:text-ink"
              activeProps={{ className: 'bg-accent-soft text-ink' }}
            >
              {TEMPLATE_NAMES[kind] ?? kind}
              <span className="truncate text-ink-faint text-xs">
                {section === 'notification' && !isEnabled ? 'not sent, ' : ''}
                {path ?? 'default'}
                {drafts[kind] ? ', not saved' : ''}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
