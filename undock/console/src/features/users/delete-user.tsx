import { useState } from 'react'
import { Checkbox } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { deleteUser, useUserChange } from './mutations.ts'
import { type User, userTitle } from './queries.ts'

type DeleteUserProps = { user: User; onDeleted: (isSoft: boolean) => void; onClose: () => void }

export function DeleteUser({ user, onDeleted, onClose }: DeleteUserProps) {
  const [isSoft, setIsSoft] = useState(false)
  const deletion = useUserChange(() => deleteUser(user.id, isSoft), 'The user is deleted.')
  return (
    <FormDialog
      title={`Delete ${userTitle(user)}?`}
      action="Delete user"
      look="danger"
      isPending={deletion.isPending}
      error={deletion.error}
      onSubmit={() => deletion.mutate(undefined, { onSuccess: () => onDeleted(isSoft) })}
      onClose={onClose}
    >
      <p>
        {isSoft
          ? 'The row stays, so that foreign keys to it hold; addresses, metadata, sessions and factors are removed for good.'
          : 'The user is removed for good, with what foreign keys delete along with the row.'}
      </p>
      <Checkbox
        label="Keep the row (soft delete)"
        checked={isSoft}
        onChange={({ target }) => setIsSoft(target.checked)}
      />
    </FormDialog>
  )
}
