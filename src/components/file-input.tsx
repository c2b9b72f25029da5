import type { ChangeEvent, ComponentProps } from 'react'

type FileInputProps = Omit<ComponentProps<'input'>, 'onChange'> & {
  label: string
  onFiles: (files: File[]) => void
}

/** A hidden field that opens the browser's file dialog when its ref is clicked. */
export function FileInput({ label, onFiles, ...input }: FileInputProps) {
  const take = ({ target }: ChangeEvent<HTMLInputElement>) => {
    onFiles([...(target.files ?? [])])
    // Allows choosing the same file again.
    target.value = ''
  }
  return (
    <input
      type="file"
      aria-label={label}
      // The button that opens the dialog has the focus.
      tabIndex={-1}
      className="sr-only"
      onChange={take}
      {...input}
    />
  )
}
