import { type PointerEvent, useRef, useState } from 'react'
import { TextArea } from '../../../components/field.tsx'
import { counted } from '../../../lib/format.ts'
import type { EditorProps } from '../columns.ts'
import {
  boundsOf,
  type Geometry,
  geometryText,
  movePosition,
  type Position,
  readGeometry,
  type Shape,
  simpleShapes,
} from './geometry.ts'

/** @property shown The value as EWKT, because PostGIS's hexadecimal form isn't readable. */
type Read = { readonly text: string; readonly shown: string; readonly geometry: Geometry | null }

function read(type: string, text: string): Read {
  const geometry = readGeometry(type, text)
  return { text, shown: geometry?.postgis ? geometryText(geometry) : text, geometry }
}

/** Edits a geometry as text, or by moving its points on a canvas. */
export function GeometryEditor({ id, column, value, onChange }: EditorProps) {
  const text = value ?? ''
  const [last, setLast] = useState(() => read(column.baseType, text))
  // Typed EWKT isn't drawn, because only PostGIS parses it.
  const { shown, geometry } = last.text === text ? last : read(column.baseType, text)
  const isOfPostgis = /(?:^|\.)geo/.test(column.baseType)
  const onMove = (moved: Geometry) => {
    const next = geometryText(moved)
    setLast({ text: next, shown: next, geometry: moved })
    onChange(next)
  }
  return (
    <div className="grid gap-2">
      {geometry ? <Canvas geometry={geometry} onMove={onMove} /> : null}
      <TextArea
        id={id}
        rows={5}
        className="font-mono text-xs"
        placeholder={isOfPostgis ? 'SRID=4326;POINT(1 2)' : column.baseType === 'point' ? '(1,2)' : ''}
        value={shown}
        onValue={onChange}
      />
    </div>
  )
}

/** More points than this are drawn but can't be moved. */
const MAX_HANDLES = 200
/** The margin around the drawing, relative to its size. */
const MARGIN = 0.1
/** Units around a single point. */
const AROUND_A_POINT = 1

/** The visible rectangle, with the y axis pointing down as in SVG. */
function viewOf(shape: Shape): { x: number; y: number; size: number } {
  const { x, y, width, height } = boundsOf(shape) ?? { x: 0, y: 0, width: 0, height: 0 }
  const extent = Math.max(width, height) || AROUND_A_POINT
  const size = extent * (1 + 2 * MARGIN)
  return { x: x + width / 2 - size / 2, y: -(y + height / 2) - size / 2, size }
}

function Canvas({ geometry, onMove }: { geometry: Geometry; onMove: (moved: Geometry) => void }) {
  const { shape } = geometry
  const svg = useRef<SVGSVGElement>(null)
  // The view is fixed while a point is moved, so that the others don't move.
  const [view] = useState(() => viewOf(shape))
  const [dragged, setDragged] = useState<number | null>(null)
  const positions = simpleShapes(shape).flatMap(({ lines }) => lines.flat())
  const move = ({ clientX, clientY }: PointerEvent) => {
    const matrix = svg.current?.getScreenCTM()
    if (dragged === null || !matrix) return
    const at = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse())
    // Digits below a pixel are noise.
    const digits = Math.max(0, 4 - Math.floor(Math.log10(view.size)))
    const rounded = (number: number) => Number(number.toFixed(Math.min(digits, 15)))
    onMove(movePosition(geometry, dragged, rounded(at.x), rounded(-at.y)))
  }
  return (
    <>
      <svg
        ref={svg}
        role="img"
        aria-label={`A drawing of ${counted(positions.length, 'point')}`}
        viewBox={`${view.x} ${view.y} ${view.size} ${view.size}`}
        className="h-64 w-full touch-none rounded-md border bg-panel text-accent"
        onPointerMove={move}
        onPointerUp={() => setDragged(null)}
        onPointerLeave={() => setDragged(null)}
      >
        {simpleShapes(shape).map((one, index) => (
          <Drawing key={index} shape={one} />
        ))}
        {positions.length > MAX_HANDLES
          ? null
          : positions.map(([x = 0, y = 0], index) => (
              <circle
                key={index}
                cx={x}
                cy={-y}
                r={view.size / 70}
                fill="currentColor"
                className="cursor-move"
                onPointerDown={() => setDragged(index)}
              />
            ))}
      </svg>
      <p className="text-ink-faint text-xs">
        {positions.length > MAX_HANDLES
          ? 'Too many points to drag. Edit the text instead.'
          : 'Drag a point to move it, or change the text.'}
      </p>
    </>
  )
}

const CLOSED = new Set(['polygon', 'POLYGON', 'path'])

function Drawing({ shape: { type, lines, radius } }: { shape: Shape }) {
  const look = {
    stroke: 'currentColor',
    vectorEffect: 'non-scaling-stroke',
    strokeWidth: 1.5,
    fillOpacity: 0.15,
  } as const
  const [[x = 0, y = 0] = [], [right = 0, top = 0] = []] = lines[0] ?? []
  if (type === 'circle') return <circle cx={x} cy={-y} r={radius ?? 0} fill="currentColor" {...look} />
  if (type === 'box') {
    const place = { x: Math.min(x, right), y: -Math.max(y, top), width: Math.abs(right - x), height: Math.abs(top - y) }
    return <rect {...place} fill="currentColor" {...look} />
  }
  const path = lines.map((line) => `M${line.map(toText).join('L')}${CLOSED.has(type) ? 'Z' : ''}`).join('')
  return <path d={path} fill={CLOSED.has(type) ? 'currentColor' : 'none'} fillRule="evenodd" {...look} />
}

const toText = ([x = 0, y = 0]: Position): string => `${x} ${-y}`
