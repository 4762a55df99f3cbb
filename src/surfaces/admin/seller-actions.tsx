import type { JSX } from 'preact'
import { Panel } from '#design/panels'
import { isPermitted, type StaffPermission, type StaffRole } from '#domain/identity'
import type { ListedSeller } from '#domain/sellers'
import { Entry, type FilledForm } from './staff-action.tsx'

interface Action {
  needs: StaffPermission
  action: string
  label: string
  effect: string
}

/** What a role can decide about a seller as it is now. */
function actionsFor(seller: ListedSeller, role: StaffRole): Action[] {
  const actions: Action[] = [
    {
      needs: 'viewing',
      action: 'view',
      label: 'View as this seller',
      effect:
        'Opens the dashboard as its owner sees it, read-only, for 30 minutes. Its members see this in their activity.',
    },
    seller.payouts_paused_at
      ? {
          needs: 'payouts',
          action: 'resume',
          label: 'Resume payouts',
          effect: 'The balance is paid out on Monday, or when the seller requests it.',
        }
      : {
          needs: 'payouts',
          action: 'pause',
          label: 'Pause payouts',
          effect: 'No new payouts start. Payouts already on their way to the bank still arrive.',
        },
    seller.suspended_at
      ? {
          needs: 'suspensions',
          action: 'reinstate',
          label: 'Reinstate',
          effect: 'Its apps are for sale and listed as before.',
        }
      : {
          needs: 'suspensions',
          action: 'suspend',
          label: 'Suspend',
          effect:
            'None of its apps is for sale or listed, and its members can change nothing but its bank account. Customers keep their licenses, and subscriptions renew. Payouts continue unless they are paused.',
        },
  ]
  return actions.filter(({ needs }) => isPermitted(role, needs))
}

/** The staff actions for a seller, each with a reason. */
export function SellerActions(facts: {
  csrf_token: string
  role: StaffRole
  seller: ListedSeller
  filled: FilledForm | undefined
}): JSX.Element | null {
  const { seller, role, csrf_token, filled } = facts
  const actions = actionsFor(seller, role)
  if (actions.length === 0) return null
  return (
    <Panel title="Actions">
      <p class="mb-4 text-sm text-muted">
        The reason is in the audit log. The members are emailed the reason of a suspension or a
        pause.
      </p>
      <ul class="divide-y divide-base-300 border-t border-base-300">
        {actions.map(({ action, label, effect }) => (
          <Entry
            key={action}
            title={label}
            details={effect}
            csrf_token={csrf_token}
            path={`sellers/${seller.id}/${action}`}
            fields={{ seller_id: seller.id }}
            id={`${action}-reason`}
            label={label}
            filled={filled}
          />
        ))}
      </ul>
    </Panel>
  )
}
