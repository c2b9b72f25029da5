import { ArrowDownToLine, ArrowUpToLine } from 'lucide-react'
import { useEffect, useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import type { Part } from './row-source.ts'

/** Goes to the first and the last rows of a large table, and to any part between them. */
export function PartBar({ part, onPart }: { part: Part | null; onPart: (part: Part | null) => void }) {
  const shown = part === 'end' ? 100 : (part ?? 0)
  const [percent, setPercent] = useState(shown)
  useEffect(() => setPercent(shown), [shown])
  const go = () => {
    if (percent !== shown) onPart(percent === 0 ? null : percent === 100 ? 'end' : percent)
  }
  return (
    <fieldset aria-label="Part of the rows" className="flex items-center">
      <IconButton label="First rows" onClick={() => onPart(null)}>
        <ArrowUpToLine aria-hidden />
      </IconButton>
      <input
        type="range"
        aria-label="Part of the rows in percent"
        aria-valuetext={`about ${percent} %`}
        title={`About ${percent} % of the rows are before`}
        min={0}
        max={100}
        value={percent}
        onChange={({ target }) => setPercent(Number(target.value))}
        // While it is moved, no rows are read.
        onPointerUp={go}
        onKeyUp={go}
        className="w-24 accent-(--accent)"
      />
      <IconButton label="Last rows" onClick={() => onPart('end')}>
        <ArrowDownToLine aria-hidden />
      </IconButton>
    </fieldset>
  )
}
