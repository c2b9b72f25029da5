import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Field, Input } from '../../components/field.tsx'

/** Names another secret of the functions. */
export function NewSecret({ onAdd, disabled }: { onAdd: (name: string) => void; disabled: boolean }) {
  const [name, setName] = useState('')
  return (
    <form
      aria-label="New secret"
      className="flex items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        onAdd(name)
        setName('')
      }}
    >
      <Field label="Name of another secret">
        {(id) => (
          <Input
            id={id}
            required
            disabled={disabled}
            pattern="[A-Z_][A-Z0-9_]*"
            title="Capital letters, digits and underscores"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
      <Button type="submit" disabled={disabled}>
        Add
      </Button>
    </form>
  )
}
