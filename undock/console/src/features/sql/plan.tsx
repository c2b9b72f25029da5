import clsx from 'clsx'
import { count, duration } from '../../lib/format.ts'

type Node = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Plan Rows'?: number
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Actual Total Time'?: number
  'Total Cost'?: number
  Filter?: string
  'Index Cond'?: string
  'Rows Removed by Filter'?: number
  Plans?: Node[]
}
export type Plan = { readonly Plan: Node; readonly 'Planning Time'?: number; readonly 'Execution Time'?: number }

/** Parses the output of `explain (format json)`; null if it isn't one. */
export function readPlan(text: string | null | undefined): Plan | null {
  try {
    const [plan] = JSON.parse(text ?? '') as Plan[]
    return plan?.Plan ? plan : null
  } catch {
    return null
  }
}

/** A plan as a tree. Highlights the step that took the longest itself. */
export function PlanTree({ plan }: { plan: Plan }) {
  const longest = Math.max(...nodesOf(plan.Plan).map(ownTime))
  return (
    <div className="p-3 text-[13px]">
      <p className="mb-2 text-ink-faint text-xs">
        {plan['Execution Time'] === undefined
          ? 'Not run: these are estimates.'
          : `Planned in ${duration(plan['Planning Time'] ?? 0)}, run in ${duration(plan['Execution Time'])}.`}
      </p>
      <ul>
        <Step node={plan.Plan} longest={longest} />
      </ul>
    </div>
  )
}

function Step({ node, longest }: { node: Node; longest: number }) {
  const own = ownTime(node)
  const isLongest = own > 0 && own === longest
  const on = node['Relation Name'] ?? node['Index Name']
  const rows = node['Actual Rows'] === undefined ? node['Plan Rows'] : node['Actual Rows'] * (node['Actual Loops'] ?? 1)
  return (
    <li>
      <div
        className={clsx(
          'mb-1 inline-grid min-w-72 gap-0.5 rounded-md border px-2.5 py-1.5',
          isLongest ? 'border-warn bg-warn-soft' : 'bg-raised',
        )}
      >
        <p>
          <span className="font-medium">{node['Node Type']}</span>
          {on ? <span className="text-ink-soft"> on {on}</span> : null}
          {isLongest ? <span className="ml-2 text-warn text-xs">the most time</span> : null}
        </p>
        <p className="text-ink-faint text-xs">
          {count(Math.round(rows ?? 0))} rows
          {node['Actual Rows'] !== undefined && node['Plan Rows'] !== undefined
            ? `, ${count(node['Plan Rows'] * (node['Actual Loops'] ?? 1))} expected`
            : ''}
          {own > 0 ? `, ${duration(own)} by itself` : node['Total Cost'] ? `, cost ${node['Total Cost']}` : ''}
        </p>
        {[node['Index Cond'], node.Filter].filter(Boolean).map((text) => (
          <code key={text} className="break-all font-mono text-ink-soft text-xs">
            {text}
          </code>
        ))}
        {node['Rows Removed by Filter'] ? (
          <p className="text-ink-faint text-xs">{count(node['Rows Removed by Filter'])} rows removed by the filter</p>
        ) : null}
      </div>
      {node.Plans ? (
        <ul className="ml-5 border-l pl-4">
          {node.Plans.map((child, index) => (
            <Step key={index} node={child} longest={longest} />
          ))}
        </ul>
      ) : null}
    </li>
  )
}

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** Milliseconds of all loops. */
const totalTime = (node: Node): number => (node['Actual Total Time'] ?? 0) * (node['Actual Loops'] ?? 1)

const ownTime = (node: Node): number =>
  Math.max(0, totalTime(node) - (node.Plans ?? []).reduce((sum, child) => sum + totalTime(child), 0))
