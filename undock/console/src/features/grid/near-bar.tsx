import { X } from 'lucide-react'
import { IconButton } from '../../components/button.tsx'
import { Select } from '../../components/field.tsx'
import type { RelationDetail } from '../catalog.ts'
import { DISTANCES, type Distance, type Near } from './row-source.ts'

type NearBarProps = { relation: RelationDetail; near: Near; onNear: (near: Near | null) => void }

/** Shows which row's neighbors are listed, and by which distance. */
export function NearBar({ relation, near, onNear }: NearBarProps) {
  return (
    <div className="flex flex-wrap items-center gap-2 border-b bg-accent-soft px-3 py-1 text-[13px]">
      <span>
        The 50 rows whose {near.column} is nearest to that of{' '}
        <span className="font-mono text-xs">
          {relation.key.map((name, n) => `${name} = ${near.key[n] ?? ''}`).join(', ')}
        </span>
      </span>
      <Select
        aria-label="Distance"
        className="w-64!"
        value={near.operator}
        onChange={({ target }) => onNear({ ...near, operator: target.value as Distance })}
      >
        {Object.entries(DISTANCES).map(([operator, name]) => (
          <option key={operator} value={operator}>
            by {name} ({operator})
          </option>
        ))}
      </Select>
      <IconButton label="Show all rows again" onClick={() => onNear(null)}>
        <X aria-hidden />
      </IconButton>
    </div>
  )
}
