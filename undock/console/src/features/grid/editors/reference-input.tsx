import { Search } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../../components/button.tsx'
import { Input } from '../../../components/field.tsx'
import type { ForeignKey } from '../../catalog.ts'
import type { EditorProps } from './editor-props.ts'
import { ReferenceList } from './reference-list.tsx'

type ReferenceInputProps = Omit<EditorProps, 'column'> & {
  reference: { key: ForeignKey; target: string }
  as: string | undefined
  /** Whether the rows to choose from are shown at once. */
  isOpen?: boolean
}

/** Edits a value of a foreign key: by typing it, or by choosing a row of the other table. */
export function ReferenceInput({ id, value, onChange, reference, as, isOpen = false }: ReferenceInputProps) {
  const [isListed, setIsListed] = useState(isOpen)
  return (
    <div className="grid gap-1.5">
      <div className="flex items-center gap-1">
        <Input id={id} value={value ?? ''} onChange={({ target }) => onChange(target.value)} />
        <IconButton
          label={`Choose a row of ${reference.key.table}`}
          aria-expanded={isListed}
          onClick={() => setIsListed(!isListed)}
        >
          <Search aria-hidden />
        </IconButton>
      </div>
      {isListed ? <ReferenceList reference={reference} value={value} as={as} onChoose={onChange} /> : null}
    </div>
  )
}
