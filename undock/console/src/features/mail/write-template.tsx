import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FileDifference } from '../../components/file-difference.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { tellDone } from '../../components/toast.tsx'
import { changesQuery, type Draft, TEMPLATE_NAMES, templatesQuery, writeTemplate } from './templates.ts'

type WriteTemplateProps = { kind: string; draft: Draft; onWritten: () => void; onClose: () => void }

/** Shows what saving a template would write, then writes it. */
export function WriteTemplate({ kind, draft, onWritten, onClose }: WriteTemplateProps) {
  const queryClient = useQueryClient()
  const changes = useQuery(changesQuery(kind, draft))
  const write = useMutation({
    mutationFn: () => writeTemplate(kind, draft),
    onSuccess: async (written) => {
      await queryClient.invalidateQueries({ queryKey: templatesQuery.queryKey })
      tellDone(`Written: ${written.map(({ path }) => path).join(' and ')}. The next mail is made from it.`)
      onWritten()
    },
  })
  const error = write.error ?? changes.error
  return (
    <Dialog
      title={`Save the template “${TEMPLATE_NAMES[kind] ?? kind}”`}
      wide
      onClose={onClose}
      onSubmit={() => write.mutate()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={write.isPending || !changes.data}>
            Write
          </Button>
        </>
      }
    >
      {changes.data ? changes.data.map((change) => <FileDifference key={change.path} change={change} />) : null}
      {error ? <Failure error={error} /> : changes.data ? null : <Loading />}
    </Dialog>
  )
}
