# Starts nine children that try to outlive their command; $1 marks them: each is a `sleep 3<mark>.<n>`.
# $2 = stay: the command itself is the ninth. $2 = leave: it ends once the other eight are there.
mark=$1
sleep "3$mark.1" &
(setsid sleep "3$mark.2" &)
setsid bash -c "setsid sleep 3$mark.3 & disown; sleep 0.05" &
nohup bash -c "sleep 3$mark.4; :" >/dev/null 2>&1 &
(env -i /usr/bin/setsid /usr/bin/sleep "3$mark.5" &)
python3 -c "
import os
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 100)
        os.execve('/usr/bin/sleep', ['sleep', '3$mark.6'], {})
    os._exit(0)
"
node -e "require('node:child_process').spawn('sleep', ['3$mark.7'], { detached: true, stdio: 'ignore', env: {} }).unref()"
trap '' TERM INT HUP
bash -c "trap '' TERM INT HUP; sleep 3$mark.8 & wait" &
echo started
if [ "$2" = stay ]; then sleep "3$mark.9"; exit; fi
until [ "$(pgrep -fc "^(/usr/bin/)?sleep 3$mark\\.")" -ge 8 ]; do :; done
