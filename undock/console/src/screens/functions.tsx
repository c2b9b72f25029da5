import { useQuery } from '@tanstack/react-query'
import { Outlet, useParams } from '@tanstack/react-router'
import { CircleAlert, SquareFunction } from 'lucide-react'
import { useState } from 'react'
import { Beside } from '../components/beside.tsx'
import { SearchInput } from '../components/field.tsx'
import { SideLink } from '../components/link.tsx'
import { Mark } from '../components/page.tsx'
import { Empty, Pending } from '../components/states.tsx'
import { type FunctionState, functionsQuery } from '../features/functions/functions.ts'

/** The list of functions next to the open one. */
export function FunctionsScreen() {
  const params = useParams({ strict: false })
  const { data, error, refetch } = useQuery(functionsQuery)
  if (!data) return <Pending error={error} onRetry={refetch} />
  if (data.length === 0)
    return (
      <Empty icon={SquareFunction} title="There are no functions">
        Make one with <code className="font-mono text-xs">undock supabase functions new hello</code>. It is shown here
        as soon as it is called, or after a few seconds.
      </Empty>
    )
  return (
    <Beside
      label="Functions"
      className="w-56"
      isChosen={params.name !== undefined}
      side={<FunctionList functions={data} />}
    >
      {params.name === undefined ? (
        <Empty icon={SquareFunction} title="Choose a function">
          Call it as anybody, and see its log and its last error.
        </Empty>
      ) : (
        <Outlet />
      )}
    </Beside>
  )
}

function FunctionList({ functions }: { functions: readonly FunctionState[] }) {
  const [text, setText] = useState('')
  const shown = functions.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))
  return (
    <>
      <div className="border-b p-2">
        <SearchInput label="Filter functions" value={text} onValue={setText} />
      </div>
      <ul className="min-h-0 flex-1 overflow-auto p-1">
        {shown.map(({ name, fault, worker }) => (
          <li key={name}>
            <SideLink to="/functions/$name" params={{ name }}>
              <span className="min-w-0 flex-1 truncate">{name}</span>
              {fault === null ? (
                worker === 'ready' ? (
                  <span title="Its worker runs" className="size-2 rounded-full bg-accent">
                    <span className="sr-only">Its worker runs</span>
                  </span>
                ) : null
              ) : (
                <Mark icon={CircleAlert} title="It cannot boot" tone="text-danger" />
              )}
            </SideLink>
          </li>
        ))}
        {shown.length === 0 ? <li className="p-3 text-ink-faint text-xs">No function has that name.</li> : null}
      </ul>
    </>
  )
}
