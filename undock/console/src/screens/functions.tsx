import { useQuery } from '@tanstack/react-query'
import { Outlet, useParams } from '@tanstack/react-router'
import { CircleAlert, SquareFunction } from 'lucide-react'
import { SideLink } from '../components/link.tsx'
import { Mark } from '../components/page.tsx'
import { SideList, SplitPane } from '../components/split-pane.tsx'
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
        Create one with <code className="font-mono text-xs">undock supabase functions new hello</code>. It is shown here
        as soon as it is called, or after a few seconds.
      </Empty>
    )
  return (
    <SplitPane
      label="Functions"
      className="w-56"
      isChosen={params.name !== undefined}
      side={<FunctionList functions={data} />}
    >
      {params.name === undefined ? (
        <Empty icon={SquareFunction} title="Choose a function">
          Call it as any user or role, and see its log and its last error.
        </Empty>
      ) : (
        <Outlet />
      )}
    </SplitPane>
  )
}

const FunctionList = ({ functions }: { functions: readonly FunctionState[] }) => (
  <SideList noun="function" items={functions}>
    {({ name, fault, worker }) => (
      <SideLink to="/functions/$name" params={{ name }}>
        <span className="min-w-0 flex-1 truncate">{name}</span>
        {fault === null ? (
          worker === 'ready' ? (
            <span title="Its worker is running" className="size-2 rounded-full bg-accent">
              <span className="sr-only">Its worker is running</span>
            </span>
          ) : null
        ) : (
          <Mark icon={CircleAlert} title="It cannot boot" tone="text-danger" />
        )}
      </SideLink>
    )}
  </SideList>
)
