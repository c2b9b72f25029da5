import { type ChangeEvent, type Ref, useImperativeHandle, useRef } from 'react'
import { t } from '../../lib/i18n/i18n.ts'

export type FilePickers = { pickFiles: () => void; pickFolder: () => void }

/** An attribute that every browser supports and React's types lack. */
const WHOLE_FOLDER = { webkitdirectory: '' }

/** The browser's own dialogs for files and for a folder, opened through the ref. */
export function FilePickers({ ref, onFiles }: { ref: Ref<FilePickers>; onFiles: (files: File[]) => void }) {
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  useImperativeHandle(ref, () => ({
    pickFiles: () => files.current?.click(),
    pickFolder: () => folder.current?.click(),
  }))
  const take = ({ target }: ChangeEvent<HTMLInputElement>) => {
    onFiles([...(target.files ?? [])])
    // The same file may be picked again after it was taken off the list.
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
