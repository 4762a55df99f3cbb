/** Signs the visitor out of the site. */
export function SignOutForm() {
  return (
    <form method="post" action="/sign-out">
      <button class="button" type="submit">
        Sign out
      </button>
    </form>
  )
}
