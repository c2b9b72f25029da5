import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Checkbox } from '../../components/field.tsx'
import { Failure } from '../../components/states.tsx'
import { deleteUser, useUserChange } from './mutations.ts'
import { type User, userTitle } from './queries.ts'

type DeleteUserProps = { user: User; onDeleted: (isSoft: boolean) => void; onClose: () => void }

export function DeleteUser({ user, onDeleted, onClose }: DeleteUserProps) {
  const [isSoft, setIsSoft] = useState(false)
  const deletion = useUserChange(() => deleteUser(user.id, isSoft), 'The user is deleted.')
  return (
    <Dialog
      title={`Delete ${userTitle(user)}?`}
      onClose={onClose}
      onSubmit={() => deletion.mutate(undefined, { onSuccess: () => onDeleted(isSoft) })}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" disabled={deletion.isPending}>
            Delete user
          </Button>
        </>
      }
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
      {deletion.error ? <Failure error={deletion.error} /> : null}
    </Dialog>
  )
}
