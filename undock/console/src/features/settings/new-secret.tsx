import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Field, Input } from '../../components/field.tsx'

/** Adds a functions secret: its name to config.toml, its value to a file next to it. */
export function NewSecret({ onAdd, disabled }: { onAdd: (name: string, value: string) => void; disabled: boolean }) {
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  return (
    <form
      aria-label="New secret"
      className="flex items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        onAdd(name, value)
        setName('')
        setValue('')
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
      <Field label="Its value">
        {(id) => (
          <Input
            id={id}
            type="password"
            autoComplete="new-password"
            disabled={disabled}
            value={value}
            onChange={({ target }) => setValue(target.value)}
          />
        )}
      </Field>
      <Button type="submit" disabled={disabled}>
        Add
      </Button>
    </form>
  )
}
