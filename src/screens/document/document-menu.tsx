import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import {
  ArrowLeftRight,
  AudioLines,
  FilePlus2,
  FileUp,
  FolderInput,
  Lock,
  MoreHorizontal,
  Pencil,
  Tag,
  Trash2,
} from 'lucide-react'
import { useRef, useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import { FileInput } from '../../components/file-input.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../components/menu.tsx'
import { NameDialog } from '../../components/name-dialog.tsx'
import { useAction } from '../../domain/failure-toast.ts'
import { addTemplate } from '../../features/notes/templates/mutations.ts'
import { templateFrom } from '../../features/notes/templates/template-text.ts'
import type { OpenDocument } from '../../features/reader/queries.ts'
import { PlaceHold } from '../../features/retention/hold-control.tsx'
import { holdsQuery } from '../../features/retention/queries.ts'
import { addVersion } from '../../features/uploads/new-version.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { showToast } from '../../lib/ui/toast.ts'
import { ExportItems } from '../library/export-items.tsx'
import type { Arranging } from '../shelf/use-arranging.tsx'
import { arrangedOf } from './document-model.ts'

type DocumentMenuProps = {
  library: string
  document: OpenDocument
  canEdit: boolean
  isOwner: boolean
  onAloud: (() => void) | undefined
  arranging: Arranging
}

export function DocumentMenu({ library, document, canEdit, isOwner, onAloud, arranging }: DocumentMenuProps) {
  const [asked, setAsked] = useState<'template' | 'hold'>()
  const adding = useAction(addTemplate)
  const { data: holds } = useQuery({ ...holdsQuery(library), enabled: isOwner })
  const mayHold = holds?.every(({ document_id }) => document_id !== document.id)
  const text = document.kind === 'note' && canEdit ? document.version?.body : undefined
  const close = () => setAsked(undefined)
  const picker = useRef<HTMLInputElement>(null)
  const { title } = document
  const arranged = arrangedOf(document)
  const navigate = useNavigate()
  const trash = () => {
    arranging.trash([arranged])
    void navigate({ to: '/l/$library', params: { library } })
  }
  const renewing = useAction(addVersion, {
    onSuccess: (waits) =>
      showToast({
        title: waits
          ? t('A new version of “{title}” is waiting for approval', { title })
          : t('“{title}” has a new version', { title }),
      }),
  })
  const keep = (title: string) => {
    const { body, pictures } = templateFrom(text ?? '')
    adding.mutate(
      { library, title, body },
      {
        onSuccess: () =>
          showToast({
            title: t('“{title}” is now a template of this library', { title }),
            ...(pictures > 0
              ? { description: t('Pictures stay with the note. The template keeps their descriptions.') }
              : {}),
          }),
      },
    )
  }
  return (
    <>
      <Menu trigger={<IconButton icon={MoreHorizontal} label={t('Actions for {title}', { title: document.title })} />}>
        {canEdit ? (
          <>
            <MenuItem icon={Pencil} onSelect={() => arranging.rename(arranged)}>
              {t('Rename…')}
            </MenuItem>
            <MenuItem icon={FolderInput} onSelect={() => arranging.move([arranged])}>
              {t('Move to…')}
            </MenuItem>
            <MenuItem icon={Tag} onSelect={() => arranging.tag([arranged])}>
              {t('Tags…')}
            </MenuItem>
            <MenuItem icon={Trash2} danger onSelect={trash}>
              {t('Move to the trash')}
            </MenuItem>
            <MenuSeparator />
          </>
        ) : null}
        <ExportItems library={library} document={document} canEdit={canEdit} />
        {onAloud ? (
          <MenuItem icon={AudioLines} onSelect={onAloud}>
            {t('Read aloud')}
          </MenuItem>
        ) : null}
        <MenuSeparator />
        {canEdit && document.kind === 'file' ? (
          <MenuItem icon={FileUp} disabled={renewing.isPending} onSelect={() => picker.current?.click()}>
            {t('New version…')}
          </MenuItem>
        ) : null}
        <MenuItem asChild>
          <Link to="/l/$library/compare" params={{ library }} search={{ a: document.id }}>
            <ArrowLeftRight aria-hidden />
            {t('Compare with…')}
          </Link>
        </MenuItem>
        {text != null ? (
          <MenuItem icon={FilePlus2} onSelect={() => setAsked('template')}>
            {t('Save as template…')}
          </MenuItem>
        ) : null}
        {isOwner && mayHold ? (
          <MenuItem icon={Lock} onSelect={() => setAsked('hold')}>
            {t('Place a legal hold…')}
          </MenuItem>
        ) : null}
      </Menu>
      <FileInput
        ref={picker}
        label={t('File of the new version')}
        onFiles={([file]) => file && renewing.mutate({ library, document: document.id, file })}
      />
      {asked === 'template' ? (
        <NameDialog
          title={t('Save as template')}
          label={t('Title')}
          initial={document.title}
          column="documents.title"
          action={t('Save')}
          onName={keep}
          onClose={close}
        />
      ) : null}
      {asked === 'hold' ? <PlaceHold library={library} document={document.id} onClose={close} /> : null}
    </>
  )
}
