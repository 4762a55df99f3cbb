@rem npm start begins with exec, which cmd.exe lacks: sh becomes Node.js, so signals to npm reach it.
@rem It also lacks env, whose one setting is of glibc: the command after it is all that counts here.
@for /f "tokens=1,2*" %%a in ("%*") do @if "%%a"=="env" (%%c) else (%*)
