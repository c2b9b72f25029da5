import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Avatar } from '../../components/avatar.tsx'
import { Button } from '../../components/button.tsx'
import { Field, TextField } from '../../components/field.tsx'
import { FileInput } from '../../components/file-input.tsx'
import { Form } from '../../components/form.tsx'
import { Input } from '../../components/input.tsx'
import { Notice } from '../../components/notice.tsx'
import { avatarUrl } from '../../domain/avatar-url.ts'
import { failureText } from '../../domain/failure.ts'
import { formatBytes } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { showToast } from '../../lib/ui/toast.ts'
import { removePicture, saveName, savePicture } from './mutations.ts'

/** The bucket's limits. */
const MAX_PICTURE_BYTES = 5_242_880
const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif']

function pictureFault({ type, size }: Pick<File, 'type' | 'size'>): string | undefined {
  if (!PICTURE_TYPES.includes(type)) return t('Choose a picture: PNG, JPEG, WebP, GIF or AVIF.')
  if (size === 0) return t('This file is empty. Choose another one.')
  if (size > MAX_PICTURE_BYTES) {
    return t('This picture is {size}; the limit is {limit}. Choose a smaller one.', {
      limit: formatBytes(MAX_PICTURE_BYTES),
      size: formatBytes(size),
    })
  }
}

type Profile = { id: string; display_name: string; avatar_path: string | null }

export function ProfileForm({ profile, email }: { profile: Profile; email: string | undefined }) {
  const picker = useRef<HTMLInputElement>(null)
  const [name, setName] = useState(profile.display_name)
  const [fault, setFault] = useState<string>()
  const onError = (error: Error) => setFault(failureText(error))
  const naming = useMutation({
    ...saveName,
    onError,
    onSuccess: () => showToast({ title: t('Your name was saved') }),
  })
  const picturing = useMutation({ ...savePicture, onError })
  const removal = useMutation({ ...removePicture, onError })

  const choose = (file: File | undefined) => {
    if (!file) return
    const fault = pictureFault(file)
    setFault(fault)
    if (!fault) picturing.mutate({ person: profile.id, file, before: profile.avatar_path })
  }
  const submit = () => {
    setFault(undefined)
    naming.mutate({ person: profile.id, name: name.trim() })
  }

  return (
    <div className="grid gap-8">
      {fault ? <Notice tone="error">{fault}</Notice> : null}
      <div className="flex flex-wrap items-center gap-5">
        <Avatar name={profile.display_name} src={avatarUrl(profile.avatar_path)} className="size-20 text-2xl" />
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => picker.current?.click()} busy={picturing.isPending}>
            {profile.avatar_path ? t('Change picture') : t('Choose a picture')}
          </Button>
          {profile.avatar_path ? (
            <Button
              look="quiet"
              busy={removal.isPending}
              onClick={() => removal.mutate({ person: profile.id, before: profile.avatar_path })}
            >
              {t('Remove')}
            </Button>
          ) : null}
        </div>
        <FileInput
          ref={picker}
          accept={PICTURE_TYPES.join(',')}
          label={t('Picture')}
          onFiles={([file]) => choose(file)}
        />
      </div>
      <Form onSubmit={submit} className="grid max-w-md gap-5">
        <TextField
          label={t('Name')}
          hint={t('Shown to the people you share a library with.')}
          required
          column="profiles.display_name"
          pattern=".*\S.*"
          autoComplete="name"
          value={name}
          onValue={setName}
        />
        <Field label={t('Email')}>{(control) => <Input {...control} value={email ?? ''} disabled />}</Field>
        <Button type="submit" look="primary" busy={naming.isPending} className="justify-self-start">
          {t('Save')}
        </Button>
      </Form>
    </div>
  )
}
