import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Boxes, Plus, SearchX } from 'lucide-react'
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Input, Select } from '../components/field.tsx'
import { Page } from '../components/page.tsx'
import { Empty, Failure, Loading } from '../components/states.tsx'
import { ApplyDialog } from '../features/migrations/apply-dialog.tsx'
import { JobRuns } from '../features/objects/job-runs.tsx'
import { NotEnabled, type SqlChange } from '../features/objects/not-enabled.tsx'
import { type ObjectAction, ObjectList } from '../features/objects/object-list.tsx'
import { QueueMessages } from '../features/objects/queue-messages.tsx'
import { NewSecret, SecretValue } from '../features/objects/secrets.tsx'
import { type DatabaseObject, objectsQuery, SECTIONS, type Section } from '../features/objects/sections.ts'
import { counted } from '../lib/format.ts'

const route = getRouteApi('/schema/$section')

/** Below the definition, where a section has more than that. */
const MORE: Readonly<Record<string, (object: DatabaseObject) => ReactNode>> = {
  cron: (job) => <JobRuns job={job} />,
  queues: (queue) => <QueueMessages queue={queue} />,
  vault: (secret) => <SecretValue secret={secret} />,
}

export function Objects() {
  const { section: id } = route.useParams()
  const section = SECTIONS.find((one) => one.id === id)
  return section ? (
    <SectionPage key={id} section={section} />
  ) : (
    <Empty icon={SearchX} title={`There is nothing called ${id} here`}>
      Choose a section on the left.
    </Empty>
  )
}

const slug = (name: string): string => name.replace(/\W+/g, '_').replace(/^_|_$/g, '').toLowerCase()

const changeOf = ({ kind, object, sql }: ObjectAction, { noun }: Section): SqlChange => {
  const verb = { change: 'Change', drop: noun === 'extension' ? 'Disable' : 'Delete', create: 'Enable' }[kind]
  const name = object.name.replace(/\(.*/s, '')
  return { title: `${verb} ${name}`, sql, name: `${verb.toLowerCase()}_${noun}_${slug(name)}` }
}

function SectionPage({ section }: { section: Section }) {
  const { text, schema = 'public', open } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: objects, error, refetch } = useQuery(objectsQuery(section))
  const [change, setChange] = useState<SqlChange | null>(null)
  const [isNewSecretOpen, setIsNewSecretOpen] = useState(false)
  const wanted = useDeferredValue(text?.trim().toLowerCase() ?? '')
  const schemas = useMemo(
    () => [...new Set(['public', schema, ...(objects ?? []).flatMap((one) => one.schema ?? [])])].sort(),
    [objects, schema],
  )
  const shown = useMemo(
    () =>
      (objects ?? []).filter(
        (one) =>
          (!section.hasSchemas || schema === '*' || one.schema === schema) &&
          (wanted === '' ||
            `${one.name} ${one.comment ?? ''} ${Object.values(one.facts).join(' ')}`.toLowerCase().includes(wanted)),
      ),
    [objects, section, schema, wanted],
  )
  const update = (next: object) => void navigate({ search: (before) => ({ ...before, ...next }), replace: true })
  const begin = () => {
    if (section.id === 'vault') setIsNewSecretOpen(true)
    else setChange({ title: `New ${section.noun}`, sql: section.template ?? '', name: `add_${section.noun}` })
  }
  const canBegin = objects && (section.template !== null || section.id === 'vault')
  return (
    <Page
      title={section.name}
      subtitle={objects ? counted(shown.length, section.noun) : null}
      actions={
        canBegin ? (
          <Button look="primary" onClick={begin}>
            <Plus aria-hidden />
            {`New ${section.noun}`}
          </Button>
        ) : null
      }
    >
      {objects === undefined ? (
        error ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : (
          <Loading />
        )
      ) : objects === null ? (
        <NotEnabled extension={section.extension ?? ''} about={section.about} onEnable={setChange} />
      ) : (
        <div className="flex h-full flex-col">
          <div className="flex flex-wrap items-center gap-3 border-b px-4 py-2">
            <Input
              type="search"
              aria-label={`Search ${section.name.toLowerCase()}`}
              placeholder="Name or what it says"
              className="max-w-64"
              value={text ?? ''}
              onChange={({ target }) => update({ text: target.value || undefined })}
            />
            {section.hasSchemas ? (
              <Select
                aria-label="Schema"
                className="max-w-44"
                value={schema}
                onChange={({ target }) => update({ schema: target.value === 'public' ? undefined : target.value })}
              >
                <option value="*">All schemas</option>
                {schemas
                  .filter((one) => one !== '*')
                  .map((one) => (
                    <option key={one}>{one}</option>
                  ))}
              </Select>
            ) : null}
          </div>
          <div className="min-h-0 flex-1">
            {shown.length > 0 ? (
              <ObjectList
                section={section}
                objects={shown}
                open={open}
                onOpen={(id) => update({ open: id })}
                onAction={(action) => setChange(changeOf(action, section))}
                more={MORE[section.id] ?? (() => null)}
              />
            ) : (
              <Empty icon={Boxes} title={wanted ? `No ${section.noun} fits` : `There is no ${section.noun} yet`}>
                {wanted ? 'None has this text.' : section.about}
              </Empty>
            )}
          </div>
        </div>
      )}
      {change ? <ApplyDialog {...change} onApplied={() => setChange(null)} onClose={() => setChange(null)} /> : null}
      {isNewSecretOpen ? <NewSecret onClose={() => setIsNewSecretOpen(false)} /> : null}
    </Page>
  )
}
