import { type ChangeEvent, type Ref, useImperativeHandle, useRef } from 'react'
import { t } from '../../lib/i18n/i18n.ts'

export type FilePickers = { pickFiles: () => void; pickFolder: () => void }

/** Supported by every browser but missing in React's types. */
const WHOLE_FOLDER = { webkitdirectory: '' }

/** The browser's file and folder dialogs, opened through the ref. */
export function FilePickers({ ref, onFiles }: { ref: Ref<FilePickers>; onFiles: (files: File[]) => void }) {
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  useImperativeHandle(ref, () => ({
    pickFiles: () => files.current?.click(),
    pickFolder: () => folder.current?.click(),
  }))
  const take = ({ target }: ChangeEvent<HTMLInputElement>) => {
    onFiles([...(target.files ?? [])])
    // Allows picking the same file again.
    target.value = ''
  }
  return (
    <>
      <input
        ref={files}
        type="file"
        multiple
        aria-label={t('Files to add')}
        tabIndex={-1}
        className="sr-only"
        onChange={take}
      />
      <input
        ref={folder}
        type="file"
        {...WHOLE_FOLDER}
        aria-label={t('A folder to add')}
        tabIndex={-1}
        className="sr-only"
        onChange={take}
      />
    </>
  )
}
