export default function Locked() {
  return (
    <main>
      <h1>The app is locked</h1>
      <a href="/">See the plans</a>
    </main>
  )
}
