import type { Cell } from '../../../lib/api.ts'
import type { Column } from '../../catalog.ts'

/** @property value Null and unset both show an empty text. */
export type EditorProps = {
  id: string
  column: Column
  value: Cell
  onChange: (value: string) => void
}
